#!/bin/sh
# target.sh linux | windows: prints the compiler and the flags of a target system as shell assignments, for
# `eval "$(sh target.sh windows)"`:
#   cross          prefix of the tools for object files, such as x86_64-w64-mingw32; empty for this machine
#   cc, cxx        compilers
#   code_flags     flags for code that is linked into the program
#   link_flags     flags for linking a program
#   archive_tool, rename_tool, symbol_tool   ar, objcopy and nm
#   resource_tool  compiler of resource files; only for Windows
# linux: the compilers are CC and CXX, by default this machine's compilers.
set -eu

case ${1-} in
  linux)
    cross= prefix= cc=${CC:-cc} cxx=${CXX:-c++} code_flags=-fPIC link_flags=
    ;;
  windows)
    # gcc-posix implements C11 threads with winpthreads; its static library is linked into the program.
    cross=x86_64-w64-mingw32 prefix=$cross- cc=$cross-gcc-posix cxx=$cross-g++-posix
    # Selects the functions of Windows 10, C99's printf and 64-bit file offsets. Windows aligns the stack to 16 bytes,
    # but gcc spills 32-byte and 64-byte vectors with aligned moves, which then fault. The assembler therefore replaces
    # these moves with unaligned moves, which are as fast for aligned addresses.
    code_flags="-D_WIN32_WINNT=0x0A00 -DWINVER=0x0A00 -D__USE_MINGW_ANSI_STDIO=1 -D_FILE_OFFSET_BITS=64"
    code_flags="$code_flags -Wa,-muse-unaligned-vector-move"
    # As on Linux, the main thread has a stack of 8 MB. Without a time stamp, equal inputs produce identical programs.
    link_flags="-static -Wl,--stack,8388608 -Wl,--no-insert-timestamp"
    ;;
  *)
    echo "shoal: target.sh: unknown system '${1-}': use linux or windows" >&2
    exit 2
    ;;
esac

cat <<END_OF_ASSIGNMENTS
cross='$cross'
cc='$cc'
cxx='$cxx'
code_flags='$code_flags'
link_flags='$link_flags'
archive_tool='${prefix}ar'
rename_tool='${prefix}objcopy'
symbol_tool='${prefix}nm'
resource_tool='${prefix}windres'
END_OF_ASSIGNMENTS
