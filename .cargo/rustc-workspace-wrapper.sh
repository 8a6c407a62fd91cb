#!/bin/sh
# Called by cargo as `<this> rustc ARGUMENTS…` for the crates of this workspace. Links the released program statically
# where it can be: a hook process starts in 0.6 ms instead of 1.0 ms (scripts/hook-ratio.sh), and a missing or replaced
# shared library cannot keep it from answering. A flag for the whole build would reach procedural macros as well and
# break them. Without position independence the tables of the knowledge need no relocation at start. Everything else, and every machine without a static C library, is built as if this file were not there.

program=no bin=no release=no target=no last=
for word do
    case "$last $word" in
        "--crate-name leastgrant") program=yes ;;
        "--crate-type bin") bin=yes ;;
        "-C opt-level=3") release=yes ;;
    esac
    case $word in
        --test) bin=test ;;
        --target | --target=*) target=yes ;;
    esac
    last=$word
done

if [ "$program$bin$release$target" = yesyesyesno ] && [ "$(uname -s)" = Linux ]; then
    # prints the bare name where there is no such library
    case $(cc -print-file-name=libc.a 2>/dev/null) in
        */*) set -- "$@" -C target-feature=+crt-static -C relocation-model=static ;;
    esac
fi
exec "$@"
