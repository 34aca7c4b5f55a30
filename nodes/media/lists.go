package media

// What ffmpeg may read. A protocol list alone is not enough: formats that name other files,
// such as playlists, would be recognised by their content whatever a file is called.
const (
	protocols = "file"
	formats   = "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,mpegts,mpeg,flv,asf,mp3,wav,w64,aiff,caf,flac,ogg,aac,ac3,eac3,amr,gif,apng," +
		"png_pipe,jpeg_pipe,webp_pipe,bmp_pipe,tiff_pipe,nut"
	decoders = "h264,hevc,vp8,vp9,libvpx,libvpx-vp9,av1,libdav1d,libaom-av1,mpeg1video,mpeg2video,mpegvideo,mpeg4,msmpeg4,msmpeg4v2,msmpeg4v3,h263,flv,wmv1,wmv2,wmv3,vc1," +
		"mjpeg,prores,dnxhd,dvvideo,theora,rawvideo,ffv1,huffyuv,ffvhuff,utvideo,png,apng,gif,webp,bmp,tiff," +
		"aac,aac_latm,mp1,mp1float,mp2,mp2float,mp3,mp3float,opus,libopus,vorbis,libvorbis,flac,alac,ac3,eac3,wmav1,wmav2,amrnb,amrwb," +
		"pcm_s16le,pcm_s16be,pcm_s24le,pcm_s24be,pcm_s32le,pcm_s32be,pcm_f32le,pcm_f32be,pcm_f64le,pcm_u8,pcm_s8,pcm_alaw,pcm_mulaw,adpcm_ms,adpcm_ima_wav," +
		"mov_text,subrip,srt,ass,ssa,webvtt"
)

// readOptions stand before every input.
func readOptions() []string {
	return []string{"-protocol_whitelist", protocols, "-format_whitelist", formats, "-codec_whitelist", decoders, "-max_pixels", num(maxPixels)}
}
