# Completion of svc for bash: source <(svc completion bash)
_svc() {
  local line files=
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line == :files ]]; then files=yes; else COMPREPLY+=("${line%%$'\t'*}"); fi
  done < <(svc complete bash -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  if [[ $files ]]; then
    compopt -o filenames 2>/dev/null
    while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "${COMP_WORDS[COMP_CWORD]}")
  fi
}
complete -F _svc svc
