# Sourced by pinned_library.sh --target windows: sources and builds of the libraries that a program for Windows links
# statically, and that are shared libraries of the system on Linux. They are compiled without their own build systems,
# whose checks of the compiler take longer than the compilation. Each source is the version that Debian 12 packages,
# with the security corrections of that package ($fixes, of which $patches are applied). Expat is a newer version,
# because the mirrors lack the corrections of the packaged version.

# compile COMPILER FILE…: compiles the files in parallel, and archives the objects in lib/lib$name.a. If the file
# `renamed` exists, its pairs of names are replaced in the objects.
compile() {
  compiler=$1
  shift
  printf '%s\n' "$@" | compiler=$compiler xargs -P "$jobs" -I % sh -c 'eval "$compiler" -c -o "$(echo % | tr / _).o" %' || return 1
  if [ -e renamed ]; then
    for object in ./*.o; do "$rename_tool" --redefine-syms=renamed "$object" || return 1; done
  fi
  "$archive_tool" rcs "$out/lib/lib$name.a" ./*.o
}

# correct_source: applies $patches from the archive $fixes to the source in the current folder.
correct_source() {
  [ -n "$fixes" ] || return 0
  mkdir "$work/fixes" && tar -xf "$fixes" -C "$work/fixes" || return 1
  for patch in $patches; do
    patch -p1 -s --no-backup-if-mismatch <"$work/fixes/debian/patches/$patch" || { echo "cannot apply $patch"; return 1; }
  done
}

# build_dependencies: builds the libraries $dependencies, and adds their headers to $flags and their folder to
# pkg-config. Runs before the build locks the cache.
build_dependencies() {
  for dependency in $dependencies; do
    built=$(sh "$0" --target "$target" "$dependency") || exit 2
    export PKG_CONFIG_LIBDIR="$built/lib/pkgconfig"
    for headers in "$built/include" "$built"/include/*2; do flags="$flags -isystem $headers"; done
  done
}

# static_inputs: prints what a result depends on, in addition to the text of its build.
static_inputs() {
  echo "$target $fixes_sha256 $patches $dependencies"
  for dependency in $dependencies; do sed -n "/^    $dependency)/,/;;/p" "$root/scripts/build/static_libraries.sh"; done
  sed -n -e "/^$name() {/,/^}/p" -e '/^compile() {/,/^}/p' -e '/^correct_source() {/,/^}/p' -e '/^write_pc() {/,/^}/p' \
    "$root/scripts/build/static_libraries.sh"
}

# write_pc FILE NAME VERSION LIBRARIES [REQUIRED [FOLDER]]: writes lib/pkgconfig/FILE.pc, with paths relative to the
# file. FOLDER is a folder in include/ that contains the headers.
write_pc() {
  mkdir -p "$out/lib/pkgconfig"
  headers=
  [ -z "${6-}" ] || headers="-I\${prefix}/include/$6"
  cat >"$out/lib/pkgconfig/$1.pc" <<EOF
prefix=\${pcfiledir}/../..
Name: $2
Description: static library
Version: $3
Requires: ${5-}
Cflags: -I\${prefix}/include $headers
Libs: -L\${prefix}/lib $4
EOF
}

# ---- sources

fixes= fixes_sha256= patches= dependencies= origin=

# choose_library NAME: sets the variables of pinned_library.sh for a library of this file.
choose_library() {
  case $1 in
    zlib)
      title=zlib package=zlib1g-dev source=zlib_1.2.13.dfsg.orig.tar.bz2
      sha256=71feb7947e3c00ef125f83b79a4e529bde31171e5babe48b391f06758d1ab0a1
      ;;
    minizip)
      title=minizip package=libminizip-dev source=minizip_1.1.orig.tar.xz dependencies=zlib
      sha256=7d8da446d3b6799e7851f077a66551a46b80fc3de708549e79dbd3e49e842ba1
      fixes=minizip_1.1-8+deb12u1.debian.tar.xz patches=CVE-2023-45853.patch
      fixes_sha256=1a6f0cec9d51b9485d7a2f6c6fcf8240ab716854fe4640790838451f9f4b90fa
      ;;
    zstd)
      title=zstd package=libzstd-dev source=libzstd_1.5.4+dfsg2.orig.tar.xz
      sha256=8cf4bbb65e77ec348d052c8d6230eba66d435bddf64c8b5be2fcb16880c19953
      ;;
    sqlite)
      title=SQLite package=libsqlite3-dev source=sqlite3_3.40.1.orig.tar.xz
      sha256=aaa776260ab4dc976db34aa7891819484c8676b5b2783123ebc6301e2ca5d655
      fixes=sqlite3_3.40.1-2+deb12u2.debian.tar.xz
      fixes_sha256=0843bc12e4364076477935ce313a6d0796fd899a989ff18ebb6545540e10e4ca
      patches="41-fix_a_bug_in_the_NOT_NULL-IS_NULL_optimization.patch 42-CVE-2025-6965.patch
        0001-Fix-a-buffer-overread-in-the-sessions-extension-that.patch
        0002-Avoid-a-stack-overflow-that-could-be-caused-by-a-rec.patch
        0003-Fix-a-technically-undefined-signed-integer-overflow-.patch"
      ;;
    jansson)
      title=Jansson package=libjansson-dev source=jansson_2.14.orig.tar.gz
      sha256=c739578bf6b764aa0752db9a2fdadcfe921c78f1228c7ec0bb47fa804c55d17b
      ;;
    expat)
      title=Expat package=libexpat1-dev source=expat_2.7.1.orig.tar.gz
      sha256=85372797ff0673a8fc4a6be16466bb5a0ca28c0dcf3c6f7ac1686b4a3ba2aabb
      ;;
    libmd)
      title=libmd package=libmd-dev source=libmd_1.0.4.orig.tar.xz
      sha256=f51c921042e34beddeded4b75557656559cf5b1f2448033b4c1eec11c07e530f
      ;;
    fribidi)
      title=FriBidi package=libfribidi-dev source=fribidi_1.0.8.orig.tar.bz2
      sha256=94c7b68d86ad2a9613b4dcffe7bbeb03523d63b5b37918bdf2e4ef34195c1e6c
      fixes=fribidi_1.0.8-2.1.debian.tar.xz patches="CVE-2022-25309.patch CVE-2022-25310.patch"
      fixes_sha256=7e80ba37a8ef1ce98c73a888b56a3f1192fbd0f43c46b626026106065bd2993a
      ;;
    freetype)
      title=FreeType package=libfreetype-dev source=freetype_2.12.1+dfsg.orig.tar.xz dependencies=zlib
      sha256=7dedb6b9adf331559daea614a83b8de42a753e685ec8e1c4bdb4529eb880b0d1
      fixes=freetype_2.12.1+dfsg-5+deb12u4.debian.tar.xz
      fixes_sha256=c625a97a78e4c74acd32e5b63b3973c9ea8a5c3d7b7f8f7c02def4421589c61b
      patches="fix-wild-free-svg.patch CVE-2023-2004.patch Minimal-stop-gap-fix-for-CVE-2025-27363.patch"
      ;;
    harfbuzz)
      title=HarfBuzz package=libharfbuzz-dev source=harfbuzz_6.0.0+dfsg.orig.tar.xz dependencies=freetype compiler=$cxx
      sha256=89266cb363e49b6aa999eda04ca25b0d234a69ad9304679631371f4697652368
      ;;
    webp)
      title=libwebp package=libwebp-dev source=libwebp_1.2.4.orig.tar.gz
      sha256=7bf5a8a28cc69bcfa8cb214f2c3095703c6b73ac5fba4d5480c205331d9494df
      fixes=libwebp_1.2.4-0.2+deb12u1.debian.tar.xz
      fixes_sha256=69cdba4dfe2e1b34d55fa80c1b29c31cacd40dd183812d6bcca7e508a2f7afcd
      patches="EncodeAlphaInternal-clear-result-bw-on-error.patch CVE-2023-4863.patch"
      ;;
    sodium)
      title=libsodium package=libsodium-dev source=libsodium_1.0.18.orig.tar.gz
      sha256=d59323c6b712a1519a5daf710b68f5e7fde57040845ffec53850911f10a5d4f4
      fixes=libsodium_1.0.18-1+deb12u1.debian.tar.xz patches=CVE-2025-69277.patch
      fixes_sha256=f410474e46346b06b162defa05b1be26906aeed6cf309e3d4ebe30b4d1350733
      ;;
    sdl2)
      title=SDL2 package=libsdl2-dev source=libsdl2_2.26.5+dfsg.orig.tar.gz
      sha256=b3f2c822151804125d08db94c65852f711c2e5df2145a59da120748dc32eb9c3
      ;;
    epoxy)
      title=epoxy package=libepoxy-dev source=libepoxy_1.5.10.orig.tar.gz
      sha256=a7ced37f4102b745ac86d6a70a9da399cc139ff168ba6b8002b4d8d43c900c15
      ;;
    wslay)
      title=wslay package=libwslay-dev source=wslay-1.1.1.tar.gz origin="the tag release-1.1.1 of wslay's repository"
      sha256=e8a34d017c722a0aed441b0191f3aebf1800010185610eebb60ca68a7e4f52f0
      ;;
    cmocka)
      title=cmocka package=libcmocka-dev source=cmocka_1.1.5.orig.tar.xz
      sha256=f0ccd8242d55e2fd74b16ba518359151f6f8383ff8aef4976e48393f77bba8b6
      ;;
    sleef)
      title=SLEEF package=libsleef-dev source=sleef_3.5.1.orig.tar.gz
      sha256=415ee9b1bcc5816989d3d4d92afd0cd3f9ee89cbd5a33eb008e69751e40438ab
      ;;
    *) return 1 ;;
  esac
}

# ---- the libraries; each function runs in the source folder of its library, and installs files in $out

zlib() {
  compile "$cc $flags" adler32.c compress.c crc32.c deflate.c gzclose.c gzlib.c gzread.c gzwrite.c infback.c inffast.c \
    inflate.c inftrees.c trees.c uncompr.c zutil.c && cp zlib.h zconf.h "$out/include/" && cp LICENSE "$out/COPYRIGHT" &&
    write_pc zlib zlib 1.2.13 -lzlib
}

minizip() {
  compile "$cc $flags" ioapi.c unzip.c zip.c && mkdir "$out/include/minizip" &&
    cp ioapi.h unzip.h zip.h "$out/include/minizip/" && sed -n 1,40p MiniZip64_info.txt >"$out/COPYRIGHT" &&
    write_pc minizip minizip 1.1 -lminizip zlib minizip
}

zstd() {
  compile "$cc $flags -DZSTD_DISABLE_ASM -Ilib -Ilib/common" lib/common/*.c lib/compress/*.c lib/decompress/*.c \
    lib/dictBuilder/*.c && cp lib/zstd.h lib/zstd_errors.h lib/zdict.h "$out/include/" && cp LICENSE "$out/COPYRIGHT" &&
    write_pc libzstd zstd 1.5.4 -lzstd
}

# Generating the amalgamated source requires tclsh on this machine. libraries.sh uses the same options.
sqlite() {
  make -f main.mk TOP=. BCC=gcc TCCX=gcc NAWK=awk sqlite3.c sqlite3.h || return 1
  compile "$cc $flags -DSQLITE_THREADSAFE=1 -DSQLITE_ENABLE_COLUMN_METADATA -DSQLITE_ENABLE_DBSTAT_VTAB \
    -DSQLITE_ENABLE_FTS3 -DSQLITE_ENABLE_FTS3_PARENTHESIS -DSQLITE_ENABLE_FTS4 -DSQLITE_ENABLE_FTS5 \
    -DSQLITE_ENABLE_RTREE -DSQLITE_ENABLE_LOAD_EXTENSION -DSQLITE_ENABLE_MATH_FUNCTIONS -DSQLITE_ENABLE_SESSION \
    -DSQLITE_ENABLE_PREUPDATE_HOOK -DSQLITE_ENABLE_STMTVTAB -DSQLITE_ENABLE_UNLOCK_NOTIFY -DSQLITE_USE_URI" sqlite3.c &&
    cp sqlite3.h "$out/include/" && cp LICENSE.md "$out/COPYRIGHT" && write_pc sqlite3 SQLite 3.40.1 -lsqlite
}

jansson() {
  : >src/jansson_private_config.h
  compile "$cc $flags -DHAVE_STDINT_H -DHAVE_UNISTD_H -DHAVE_ATOMIC_BUILTINS -DUSE_WINDOWS_CRYPTOAPI -Isrc -Iandroid" \
    src/*.c && cp src/jansson.h android/jansson_config.h "$out/include/" && cp LICENSE "$out/COPYRIGHT" &&
    write_pc jansson Jansson 2.14 -ljansson
}

expat() {
  cd expat && : >expat_config.h &&
    compile "$cc $flags -I. -DXML_NS -DXML_DTD -DXML_GE=1 -DXML_CONTEXT_BYTES=1024 -DBYTEORDER=1234" lib/xmlparse.c \
      lib/xmlrole.c lib/xmltok.c && cp lib/expat.h lib/expat_external.h "$out/include/" && cp COPYING "$out/COPYRIGHT" &&
    write_pc expat Expat 2.7.1 -lexpat
}

# Builds only the SHA-1 and SHA-2 functions, which Shoal uses.
libmd() {
  : >config.h
  compile "$cc $flags -I. -Iinclude" src/sha1.c src/sha2.c src/sha256hl.c && cp include/sha1.h include/sha2.h "$out/include/" &&
    cp COPYING "$out/COPYRIGHT" && write_pc libmd libmd 1.0.4 -llibmd
}

fribidi() {
  sed 's/@FRIBIDI_VERSION@/1.0.8/; s/@FRIBIDI_MAJOR_VERSION@/1/; s/@FRIBIDI_MINOR_VERSION@/0/; s/@SIZEOF_INT@/4/
    s/@FRIBIDI_MICRO_VERSION@/8/; s/@FRIBIDI_INTERFACE_VERSION@/4/; s/@PACKAGE.*@/fribidi/; s/@FRIBIDI_MSVC.*@//' \
    lib/fribidi-config.h.in >lib/fribidi-config.h
  compile "$cc $flags -DHAVE_STDLIB_H -DHAVE_STRING_H -DHAVE_STRINGIZE -DSTDC_HEADERS -Ilib" lib/*.c &&
    mkdir "$out/include/fribidi" && cp lib/fribidi*.h "$out/include/fribidi/" && cp COPYING "$out/COPYRIGHT" &&
    write_pc fribidi FriBidi 1.0.8 -lfribidi '' fribidi
}

# Uses the library zlib: other libraries would call the functions of a second copy in FreeType.
freetype() {
  sed -i 's|^/\* \(#define FT_CONFIG_OPTION_SYSTEM_ZLIB\) \*/|\1|' include/freetype/config/ftoption.h
  grep -q '^#define FT_CONFIG_OPTION_SYSTEM_ZLIB' include/freetype/config/ftoption.h || return 1
  set --
  for part in base/ftsystem base/ftinit base/ftdebug base/ftbase base/ftbbox base/ftglyph base/ftbdf base/ftbitmap base/ftcid \
    base/ftfstype base/ftgasp base/ftgxval base/ftmm base/ftotval base/ftpatent base/ftpfr base/ftstroke base/ftsynth \
    base/fttype1 base/ftwinfnt bdf/bdf cff/cff cid/type1cid pcf/pcf pfr/pfr sfnt/sfnt truetype/truetype type1/type1 \
    type42/type42 winfonts/winfnt raster/raster sdf/sdf smooth/smooth svg/svg autofit/autofit gzip/ftgzip lzw/ftlzw \
    psaux/psaux pshinter/pshinter psnames/psnames; do
    set -- "$@" "src/$part.c"
  done
  compile "$cc $flags -DFT2_BUILD_LIBRARY -Iinclude" "$@" && mkdir "$out/include/freetype2" &&
    cp -r include/ft2build.h include/freetype "$out/include/freetype2/" && cat LICENSE.TXT docs/FTL.TXT >"$out/COPYRIGHT" &&
    write_pc freetype2 FreeType 24.3.18 -lfreetype zlib freetype2
}

harfbuzz() {
  compile "$cxx -std=c++11 $flags -fno-exceptions -fno-rtti -fno-threadsafe-statics -DHAVE_FREETYPE=1" src/harfbuzz.cc &&
    mkdir "$out/include/harfbuzz" && cp src/hb*.h "$out/include/harfbuzz/" && cp COPYING "$out/COPYRIGHT" &&
    write_pc harfbuzz HarfBuzz 6.0.0 -lharfbuzz freetype2 harfbuzz
}

webp() {
  compile "$cc $flags -DNDEBUG -I." sharpyuv/*.c src/dec/*.c src/dsp/*.c \
    src/enc/*.c src/mux/*.c src/utils/*.c && mkdir "$out/include/webp" &&
    cp src/webp/*.h "$out/include/webp/" && cp COPYING "$out/COPYRIGHT" && write_pc libwebp libwebp 1.2.4 -lwebp &&
    write_pc libwebpmux libwebpmux 1.2.4 -lwebp
}

# Builds only the files that Shoal uses, without assembly: BLAKE2b, ChaCha20-Poly1305, X25519, SipHash, random numbers,
# and the functions that sodium_init calls.
sodium() {
  set --
  for part in crypto_aead/chacha20poly1305/sodium/aead_chacha20poly1305 crypto_aead/xchacha20poly1305/sodium/aead_xchacha20poly1305 \
    crypto_core/ed25519/ref10/ed25519_ref10 crypto_core/hchacha20/core_hchacha20 crypto_core/hsalsa20/ref2/core_hsalsa20_ref2 \
    crypto_core/salsa/ref/core_salsa_ref crypto_generichash/blake2b/generichash_blake2 \
    crypto_generichash/blake2b/ref/blake2b-compress-ref crypto_generichash/blake2b/ref/blake2b-ref \
    crypto_generichash/blake2b/ref/generichash_blake2b crypto_generichash/crypto_generichash crypto_kx/crypto_kx \
    crypto_onetimeauth/crypto_onetimeauth crypto_onetimeauth/poly1305/donna/poly1305_donna \
    crypto_onetimeauth/poly1305/onetimeauth_poly1305 crypto_pwhash/argon2/argon2-core \
    crypto_pwhash/argon2/argon2-fill-block-ref crypto_pwhash/argon2/blake2b-long crypto_scalarmult/crypto_scalarmult \
    crypto_scalarmult/curve25519/ref10/x25519_ref10 crypto_scalarmult/curve25519/scalarmult_curve25519 \
    crypto_shorthash/crypto_shorthash crypto_shorthash/siphash24/ref/shorthash_siphash24_ref \
    crypto_shorthash/siphash24/shorthash_siphash24 crypto_stream/chacha20/ref/chacha20_ref crypto_stream/chacha20/stream_chacha20 \
    crypto_stream/salsa20/ref/salsa20_ref crypto_stream/salsa20/stream_salsa20 crypto_verify/sodium/verify \
    randombytes/randombytes randombytes/sysrandom/randombytes_sysrandom sodium/codecs sodium/core sodium/runtime sodium/utils; do
    set -- "$@" "src/libsodium/$part.c"
  done
  include=src/libsodium/include
  sed 's/@VERSION@/1.0.18/; s/@SODIUM_LIBRARY_VERSION_MAJOR@/10/; s/@SODIUM_LIBRARY_VERSION_MINOR@/3/; /@SODIUM_LIBRARY_MINIMAL_DEF@/d' \
    $include/sodium/version.h.in >$include/sodium/version.h
  compile "$cc $flags -fwrapv -DSODIUM_STATIC -DCONFIGURED=1 -DNATIVE_LITTLE_ENDIAN=1 -DHAVE_TI_MODE=1 -DHAVE_CPUID=1 \
    -I$include -I$include/sodium" "$@" && cp $include/sodium.h "$out/include/" && cp -r $include/sodium "$out/include/" &&
    cp LICENSE "$out/COPYRIGHT" && write_pc libsodium libsodium 1.0.18 -lsodium
}

# Omits the renderers of SDL's own 2D functions, because Shoal draws with OpenGL. Pads use raw input, XInput and
# DirectInput; mingw-w64 10 lacks the header of Windows.Gaming.Input.
sdl2() {
  sed '/define HAVE_WINDOWS_GAMING_INPUT_H/d' include/SDL_config_windows.h >include/SDL_config.h
  compile "$cc $flags -Iinclude -Isrc/video/khronos -DHAVE_LIBC=1 -DSDL_STATIC_LIB -DDLL_EXPORT_DISABLED -DSDL_RENDER_DISABLED=1 \
    -DSDL_VIDEO_RENDER_D3D=0 -DSDL_VIDEO_RENDER_OGL=0 -DSDL_VIDEO_RENDER_OGL_ES2=0" src/*.c src/atomic/*.c src/audio/*.c \
    src/audio/directsound/*.c src/audio/disk/*.c src/audio/dummy/*.c src/audio/wasapi/SDL_wasapi.c \
    src/audio/wasapi/SDL_wasapi_win32.c src/audio/winmm/*.c src/core/windows/*.c src/cpuinfo/*.c src/dynapi/*.c \
    src/events/*.c src/file/*.c src/filesystem/windows/*.c src/haptic/*.c src/haptic/windows/*.c src/hidapi/*.c \
    src/joystick/*.c src/joystick/hidapi/*.c src/joystick/virtual/*.c src/joystick/windows/*.c src/libm/*.c \
    src/loadso/windows/*.c src/locale/*.c src/locale/windows/*.c src/misc/*.c src/misc/windows/*.c src/power/*.c \
    src/power/windows/*.c src/render/*.c src/render/software/*.c src/render/direct3d*/SDL_render_d3d*.c \
    src/sensor/*.c src/sensor/windows/*.c src/sensor/dummy/*.c src/stdlib/*.c \
    src/thread/*.c src/thread/generic/SDL_syscond.c src/thread/windows/*.c src/timer/*.c src/timer/windows/*.c \
    src/video/*.c src/video/dummy/*.c src/video/windows/*.c src/video/yuv2rgb/*.c && mkdir "$out/include/SDL2" &&
    cp include/*.h "$out/include/SDL2/" && cp LICENSE.txt "$out/COPYRIGHT" &&
    write_pc sdl2 SDL2 2.26.5 "-lsdl2 -lsetupapi -limm32 -lversion -lwinmm -lole32 -loleaut32 -lgdi32 -luser32 -lshell32 -ladvapi32" '' SDL2
}

# Requires python3, which generates the functions from the registry of OpenGL.
epoxy() {
  : >src/config.h
  mkdir -p include/epoxy && for kind in gl wgl; do
    python3 src/gen_dispatch.py --source --no-header --outputdir=src registry/$kind.xml &&
      python3 src/gen_dispatch.py --no-source --header --outputdir=include/epoxy registry/$kind.xml || return 1
  done
  compile "$cc -std=gnu99 $flags -Iinclude -Isrc -DPLATFORM_HAS_EGL=0 -DPLATFORM_HAS_GLX=0 -DPLATFORM_HAS_WGL=1 \
    -DEPOXY_PUBLIC=extern" src/dispatch_common.c src/dispatch_wgl.c src/gl_generated_dispatch.c src/wgl_generated_dispatch.c &&
    cp -r include/epoxy "$out/include/" && cp COPYING "$out/COPYRIGHT" && write_pc epoxy epoxy 1.5.10 "-lepoxy -lopengl32 -lgdi32"
}

cmocka() { # longjmp does not unwind the stack (premake5.lua)
  compile "$cc $flags -U__SEH__ -Iinclude -DHAVE_MALLOC_H -DHAVE_INTTYPES_H -DHAVE_SIGNAL_H -DHAVE_STRINGS_H \
    -DHAVE_GCC_THREAD_LOCAL_STORAGE -DHAVE_STRUCT_TIMESPEC" src/cmocka.c && cp include/*.h "$out/include/" &&
    cp COPYING "$out/COPYRIGHT" && write_pc cmocka cmocka 1.1.5 -lcmocka
}

wslay() {
  sed 's/@PACKAGE_VERSION@/1.1.1/' lib/includes/wslay/wslayver.h.in >lib/includes/wslay/wslayver.h
  compile "$cc $flags -DHAVE_WINSOCK2_H -Ilib/includes" lib/*.c && cp -r lib/includes/wslay "$out/include/" &&
    cp COPYING "$out/COPYRIGHT" && write_pc libwslay wslay 1.1.1 "-lwslay -lws2_32"
}

# Compiles only the file with the functions for vectors of doubles, without fused multiply-add, for vectors of 2, 4 and
# 8 numbers. It is compiled twice for each, because some functions are only in the object without DETERMINISTIC.
# mkrename also writes the header.
sleef() {
  cd src/libm && gcc -std=gnu99 -o mkrename mkrename.c || return 1
  sed '1i #define SLEEF_STATIC_LIBS 1
    s/@SLEEF_VERSION_MAJOR@/3/; s/@SLEEF_VERSION_MINOR@/5/; s/@SLEEF_VERSION_PATCHLEVEL@/1/' \
    sleeflibm_header.h.org >"$out/include/sleef.h"
  {
    ./mkrename cinz_ 2 4 __m128d __m128 __m128i __m128i __SSE2__ sse2
    ./mkrename cinz_ 4 8 __m256d __m256 __m128i 'struct { __m128i x, y; }' __AVX__ avx
    ./mkrename cinz_ 8 16 __m512d __m512 __m256i __m512i __AVX512F__ avx512fnofma
    cat sleeflibm_footer.h.org
  } >>"$out/include/sleef.h"
  ./mkrename cinz_ 2 4 sse2 >renamesse2.h && ./mkrename cinz_ 4 8 avx >renameavx.h &&
    ./mkrename cinz_ 8 16 avx512fnofma >renameavx512fnofma.h || return 1
  common="$cc -std=gnu99 $flags -fno-strict-aliasing -DDORENAME=1 -DENABLE_BUILTIN_MATH=1 -I. -I../common -I../arch"
  for kind in SSE2:sse2 AVX:avx AVX512FNOFMA:avx512f; do
    vectors=${kind#*:}
    cp sleefsimddp.c "$vectors.c" && sed '1i #define DETERMINISTIC 1' sleefsimddp.c >"deterministic_$vectors.c" &&
      compile "$common -DENABLE_${kind%:*}=1 -m$vectors" "$vectors.c" "deterministic_$vectors.c" || return 1
  done
  cp ../common/common.c . && compile "$common -I../../include" rempitab.c common.c && cp ../../LICENSE.txt "$out/COPYRIGHT" &&
    write_pc sleef SLEEF 3.5.1 -lsleef
}
