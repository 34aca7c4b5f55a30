#compdef svc
# Completion of svc for zsh: source <(svc completion zsh), or a file _svc in a folder of fpath.
_svc() {
  local line files=
  local -a found
  while IFS= read -r line; do
    if [[ $line == :files ]]; then files=yes; else found+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}"); fi
  done < <(svc complete zsh -- "${(@)words[2,CURRENT]}" 2>/dev/null)
  (( $#found )) && _describe svc found
  [[ -n $files ]] && _files
}
if [[ $funcstack[1] == _svc ]]; then _svc "$@"; else compdef _svc svc; fi
