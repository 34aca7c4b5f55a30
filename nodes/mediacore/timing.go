package mediacore

import (
	"context"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

type point struct {
	SourceMs float64 `port:"source_ms" doc:"When it is heard."`
	TargetMs float64 `port:"target_ms" doc:"When it is seen."`
}

type pointIn struct {
	SourceMs float64 `port:"source_ms" default:"0" doc:"When something is heard, in milliseconds."`
	TargetMs float64 `port:"target_ms" default:"0" doc:"When it is seen."`
}

type pointOut struct {
	Point point `port:"point" doc:"For media.timing_controller."`
}

func (c *core) syncPoint() node.Node {
	return node.Func("media.sync_point", "Sync point", func(_ context.Context, in pointIn) (pointOut, error) {
		return pointOut{point(in)}, nil
	}).Pure().Inline().Aliases("clap, calibration", "klappe, abgleich").Doc(
		"Says when something is heard and when it is seen.\n\nExample: `source_ms` = `5000`, `target_ms` = `5180`.")
}

type pointsIn struct {
	Point1 *point  `port:"point1,optional,partial" doc:"The first one."`
	Point2 *point  `port:"point2,optional,partial" doc:"The second one."`
	Point3 *point  `port:"point3,optional,partial" doc:"The third one."`
	Point4 *point  `port:"point4,optional,partial" doc:"The fourth one."`
	More   []point `port:"more,optional,partial" doc:"All others."`
}

type pointsOut struct {
	SyncPoints []point `port:"sync_points" doc:"Those that came."`
}

func (c *core) pointsList() node.Node {
	return node.Func("media.sync_points_list", "List of sync points", func(_ context.Context, in pointsIn) (pointsOut, error) {
		var all []point
		for _, p := range []*point{in.Point1, in.Point2, in.Point3, in.Point4} {
			if p != nil {
				all = append(all, *p)
			}
		}
		return pointsOut{append(all, in.More...)}, nil
	}).Pure().Inline().Aliases("collect points", "punkte sammeln").Doc("Makes a list of sync points. Ports for lists take several wires themselves.\n\nExample: wire `point1` and `point2`.")
}

type timingIn struct {
	BaseVideo  value.Media  `port:"base_video,deferred" media:"video" doc:"The video."`
	AudioTrack *value.Media `port:"audio_track,optional,deferred" media:"audio" doc:"The sound that is to fit it."`
	SyncPoints []point      `port:"sync_points" default:"[]" doc:"When things are heard and seen."`
}

type timingOut struct {
	Config timing `port:"config" doc:"For media.video_sound and media.video_encode."`
}

func (c *core) timingController() node.Node {
	return deferring(c, "media.timing_controller", "Timing", "config", func(_ work, in timingIn) (timingOut, error) {
		sum := 0.0
		for _, p := range in.SyncPoints {
			sum += p.TargetMs - p.SourceMs
		}
		if n := len(in.SyncPoints); n > 0 {
			sum /= float64(n)
		}
		return timingOut{timing{AudioDelayMs: sum}}, nil
	}).Aliases("synchronize, delay, lip sync", "synchronisieren, versatz").Doc(
		"Works out by how much a sound has to be moved to fit a picture: the mean of the points.\n\nExample: 0 → 120 and 5000 → 5180 give an `audio_delay_ms` of `150`.")
}
