# Completion of svc for fish: svc completion fish > ~/.config/fish/completions/svc.fish
function __svc_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    for line in (svc complete fish -- $words[2..-1] "$current" 2>/dev/null)
        if test "$line" = :files
            __fish_complete_path "$current"
        else
            printf '%s\n' "$line"
        end
    end
end
complete -c svc -f -a '(__svc_complete)'
