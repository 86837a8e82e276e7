-- The build, for premake5 and for premake4, which is the one that Debian packages. `./shoal build` runs it; by hand:
--   premake5 gmake                     && make -C build config=release
--   premake4 --file=premake5.lua gmake && make -C build config=release
-- Each module of engine/ is a static library: premake4 names object files after the source file alone, and two modules
-- may have files of the same name.

if not workspace then -- premake4: the few words that it spells differently
  workspace = solution
  local configuration_of = configuration
  function filter(term)
    return configuration_of(type(term) == "string" and (term:gsub("configurations:", "")) or {})
  end
  function symbols() flags { "Symbols" } end
  function os.outputof(command)
    local pipe = io.popen(command .. " 2>/dev/null")
    local text = pipe:read("*a"):gsub("%s+$", "")
    pipe:close()
    return text
  end
end

-- Where it is built, and the root that headers and libraries come from: tests/arm64.sh has its own for another
-- processor.
local BUILD = os.getenv("SHOAL_BUILD") or "build"
local SYSROOT = os.getenv("SHOAL_SYSROOT") or ""

local CONFIGS = { "Debug", "Release", "Sanitize", "Thread" }
-- Folders of engine/ that are not linked into the program as modules.
local NOT_MODULES = { include = true, plugins = true, examples = true, docs = true, design = true, library = true }
local PACKAGES = { "sdl2", "freetype2", "harfbuzz", "fribidi", "luajit", "epoxy", "libzstd", "sqlite3", "jansson", "zlib", "minizip", "sleef" } -- and headers: cglm, stb, xxhash
local LOADED = { "SDL2_mixer" } -- when it is needed: engine/platform/sdl_mixer.c

-- The functions that Shoal brings itself (engine/base/exact_libm.c), under their names in the C library.
local EXACT = { "sincos", "sincosf", "qsort" }
for name in io.open("engine/base/exact_names.h"):read("*a"):gmatch("\nEXACT_%u+%((%w+),") do
  table.insert(EXACT, name)
  table.insert(EXACT, name .. "f")
end

-- -fno-builtin-sin: the compiler neither works out sin(1) by itself nor makes a sincos of sin and cos.
local function exact_calls()
  for _, name in ipairs(EXACT) do buildoptions { "-fno-builtin-" .. name } end
end

-- What is linked statically calls ours, wherever this is linked into.
local function exact_links()
  for _, name in ipairs(EXACT) do linkoptions { "-Wl,--wrap=" .. name } end
end

-- The archive of a library, where the distribution has one; else its shared form, whose calls are bound to ours when
-- the program starts.
local function archive_of(library)
  local path = os.outputof((os.getenv("CC") or "cc") .. " -print-file-name=lib" .. library .. ".a") or ""
  return path:sub(1, 1) == "/" and path or nil
end

-- Library headers come in as system headers: our warnings are for our code.
local function system_includes(packages)
  for _, package in ipairs(packages) do
    for folder in (os.outputof("pkg-config --cflags-only-I " .. package) or ""):gmatch("%-I(%S+)") do
      buildoptions { "-isystem " .. folder }
    end
  end
end

-- Calls functions of EXACT. So does Chipmunk, but Debian's archive of it is not position independent, and a plugin
-- must be.
local STATIC = { ["luajit-5.1"] = true }

local function link_library(library)
  local archive = STATIC[library] and archive_of(library)
  if archive then linkoptions { archive } else links { library } end
end

local function system_links(packages)
  for _, package in ipairs(packages) do
    local flags = os.outputof("pkg-config --libs " .. package) or ""
    if flags == "" then error("pkg-config knows no '" .. package .. "': ./shoal deps installs it", 0) end
    for kind, name in flags:gmatch("%-([Ll])(%S+)") do
      if kind == "L" then libdirs { name } else link_library(name) end
    end
  end
end

-- The name comes along: asked for the project, premake5 would leave the filter.
local function outputs(name, sub)
  for _, config in ipairs(CONFIGS) do
    filter("configurations:" .. config)
      targetdir(BUILD .. "/" .. config:lower() .. "/" .. sub)
      objdir(BUILD .. "/" .. config:lower() .. "/obj/" .. name)
  end
  filter {}
end

-- In one order: a folder lists its files as it likes, and what is linked in another order is another program.
local function sources(pattern)
  local list = os.matchfiles(pattern)
  table.sort(list)
  return list
end

local function any_project(name, output_kind, sub, words)
  project(name)
  kind(output_kind)
  language(words)
  includedirs { "engine", "engine/include" }
  outputs(name, sub)
end

local function c_project(name, output_kind, sub)
  any_project(name, output_kind, sub, "C")
end

local modules = {} -- names of the static libraries, filled below

-- Every object of every module is linked in, used or not: scripts reach functions by name through LuaJIT's FFI, plugins
-- through the dynamic symbol table.
local function link_modules()
  links(modules)
  links { "wslay" } -- which has no .pc file
  exact_links()
  for _, config in ipairs(CONFIGS) do
    filter("configurations:" .. config)
      linkoptions { "-Wl,--whole-archive" }
      for _, module in ipairs(modules) do linkoptions { config:lower() .. "/lib/lib" .. module .. ".a" } end
      linkoptions { "-Wl,--no-whole-archive" }
  end
  filter {}
end

workspace "shoal"
  configurations(CONFIGS)
  location(BUILD)
  symbols "On"
  defines { "_GNU_SOURCE", "__error_t_defined=1" } -- see engine/base/error.h
  buildoptions { "-std=c11 -g -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes" } -- ./shoal takes those of C from C++
  -- Debug and Release must compute the same bits: no fused multiply-add, no instruction set beyond the baseline.
  buildoptions { "-ffp-contract=off" }
  exact_calls()
  system_includes(PACKAGES)
  system_includes(LOADED)
  buildoptions { "-isystem " .. SYSROOT .. "/usr/include/stb" }
  filter "configurations:Debug"
    buildoptions { "-Og -Werror" }
  filter "configurations:Release" -- no -Werror: a newer compiler's new warning must not keep anyone from playing
    defines { "NDEBUG" }
    buildoptions { "-O3" }
  filter "configurations:Sanitize" -- -g1: functions and lines, which reports name; a fifth of the compiler's time
    buildoptions { "-g1 -O1 -Werror -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all" }
    linkoptions { "-fsanitize=address,undefined" }
  filter "configurations:Thread" -- it knows no fences, and says so of each
    buildoptions { "-O1 -Werror -Wno-tsan -fno-omit-frame-pointer -fsanitize=thread" }
    linkoptions { "-fsanitize=thread" }
  filter {}

-- The same objects make the program and libshoal.so (engine/start/install.sh); in the program the linker takes back
-- what this costs.
local LIBRARY_CODE = "-fPIC -fno-semantic-interposition -ftls-model=initial-exec"

local is_module = {}
for _, file in ipairs(sources("engine/**.c")) do
  local module = file:match("engine/([%w_]+)/")
  if module and not NOT_MODULES[module] and not is_module[module] then
    c_project(module, "StaticLib", "lib")
    files(sources("engine/" .. module .. "/**.c"))
    buildoptions { LIBRARY_CODE }
    table.insert(modules, module)
    is_module[module] = true
  end
end

c_project("library", "StaticLib", "lib") -- what only a program sees that embeds Shoal (engine/start/install.sh)
  files(sources("engine/library/**.c"))
  buildoptions { LIBRARY_CODE }

c_project("shoal", "ConsoleApp", "bin")
  files { "engine/main.c" }
  link_modules()
  linkoptions { "-rdynamic" }
  -- In a package the libraries lie beside the program. Not RUNPATH: the libraries' own libraries are looked for there,
  -- too.
  linkoptions { "'-Wl,--disable-new-dtags,-rpath,$$ORIGIN/lib'" }
  system_links(PACKAGES)
  links { "m", "dl", "pthread" }

-- Plugins that ship: engine/plugins/NAME/ becomes build/CONFIG/plugins/NAME.so. They include <shoal/…> and link
-- nothing of the engine.
local PLUGIN_LINKS = { physics = { "chipmunk" } } -- which has no .pc file
-- Those that need a library that not everybody has: they are left out where pkg-config does not know it.
local PLUGIN_PACKAGES = { net = "libenet", box2d = "box2d" }
local plugins, plugin_insides = {}, {} -- the second: all but NAME/NAME.c, which says what the plugin is
local function has_package(name)
  local package = PLUGIN_PACKAGES[name]
  return not package or os.outputof("pkg-config --exists " .. package .. " && echo yes") == "yes"
end
for _, file in ipairs(sources("engine/plugins/**.c*")) do
  local name = path.getname(path.getdirectory(file))
  if path.getbasename(file) == name then
    if has_package(name) then table.insert(plugins, name) end
  elseif not PLUGIN_PACKAGES[name] or path.getbasename(file) == "net_bytes" then -- which needs no package
    table.insert(plugin_insides, file)
  end
end
for _, name in ipairs(plugins) do
  local pattern = "engine/plugins/" .. name .. "/*.c"
  if #os.matchfiles(pattern) > 0 then
    c_project("plugin_" .. name, "SharedLib", "plugins")
  else
    pattern = pattern .. "pp"
    any_project("plugin_" .. name, "SharedLib", "plugins", "C++")
    buildoptions { "-std=c++17 -Wno-missing-field-initializers" }
  end
    targetname(name)
    targetprefix ""
    files(sources(pattern))
    buildoptions { "-fPIC -fvisibility=hidden" }
    links(PLUGIN_LINKS[name] or {})
    if PLUGIN_PACKAGES[name] then
      system_includes { PLUGIN_PACKAGES[name] }
      system_links { PLUGIN_PACKAGES[name] }
    end
    links { "m" }
end

-- What only the tests need; left out where cmocka is not installed.
if (os.outputof("pkg-config --libs cmocka") or "") ~= "" then
  if #sources("tests/unit/*.c") > 0 then
    c_project("unit", "ConsoleApp", "bin")
      files(sources("tests/unit/*.c"))
      files(plugin_insides)
      filter "configurations:Sanitize" -- tests run once: they take longer to optimize than to run
        buildoptions { "-O0" }
      filter {}
      link_modules()
      linkoptions { "-rdynamic" }
      system_links { "cmocka" }
      system_links(PACKAGES)
      links { "chipmunk", "m", "dl", "pthread" }
  end

  c_project("mutate", "ConsoleApp", "bin") -- see tests/reload/mutate.c
    files { "tests/reload/*.c" }
    link_modules()
    linkoptions { "-rdynamic" }
    system_links(PACKAGES)
    links { "m", "dl", "pthread" }

  c_project("hostile", "ConsoleApp", "bin") -- see tests/hostile/main.c
    files { "tests/hostile/*.c" }
    link_modules()
    linkoptions { "-rdynamic" }
    system_links(PACKAGES)
    links { "m", "dl", "pthread" }

  c_project("component_hashes", "ConsoleApp", "bin") -- see tests/component_hashes/main.c
    files { "tests/component_hashes/*.c" }
    link_modules()
    linkoptions { "-rdynamic" }
    system_links(PACKAGES)
    links { "m", "dl", "pthread" }

  -- All fuzzers of readers are one program (tests/fuzz/readers.c): each program more takes a second to link.
  c_project("readers", "ConsoleApp", "bin")
    files { "tests/fuzz/readers.c" }
    files(sources("tests/fuzz/*_reader.c"))
    for _, file in ipairs(plugin_insides) do
      local plugin = path.getname(path.getdirectory(file))
      if plugin == "physics" or plugin == "data" or plugin == "net" then files { file } end
    end
    link_modules()
    linkoptions { "-rdynamic" }
    system_links(PACKAGES)
    links { "chipmunk", "m", "dl", "pthread" }

  c_project("ecs_fuzz", "ConsoleApp", "bin")
    files { "tests/fuzz/ecs_fuzz.c" }
    link_modules()
    linkoptions { "-rdynamic" }
    system_links(PACKAGES)
    links { "m", "dl", "pthread" }
end
