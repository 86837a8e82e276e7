// Fuzzer for asset data that is parsed in this process: sound headers, WAV, sprite sheets, maps and shader sources.
// Images and fonts are decoded in a child process as in a game: the child may crash, but this process must continue.
static const char *const reader_words[] = {
    "IHDR",         "fmt ",       "data",  "OggS",     "fLaC",     "\x01vorbis", "glyf",          "loca",
    "maxp",         "for (int",   "while", "\xFF\xDA", "\xFF\xC4", "\"data\":[", "\"firstgid\":", "\"chunks\":[",
    "\"layers\":[", "\"width\":", "grid",  "frames",   "clips",    "frameTags",  "\xE0\xA5",      "\xFA\xF1",
    "\x04\x20",     "\x05\x20",   0};
#include "reader.h"

#include "animation/sheet.h"
#include "platform/sdl.h"
#include "platform/sound_decode.h"
#include "decode/asset_format.h"
#include "decode/image.h"
#include "text/font_check.h"
#include "paint/shader_check.h"
#include "tiles/map.h"

static void seed_file(const char *path, size_t max_bytes) {
  allocator_t memory = {0};
  error_info_t error = {0};
  size_t size = 0;
  char *bytes = file_read(&memory, path, &size, &error);
  if (!bytes)
    reader_fail("%s", error.text);
  reader_seed(bytes, size < max_bytes ? size : max_bytes);
  file_free(&memory, bytes, size);
}

// A small map in the formats of Tiled and LDtk, with a layer, an infinite layer, compressed cells, an animation and
// objects.
static const char tiled[] =
    "{\"orientation\":\"orthogonal\",\"tilewidth\":16,\"tileheight\":16,\"tilesets\":[{\"firstgid\":1,\"name\":\"t\","
    "\"image\":\"t.png\",\"tilewidth\":16,\"tileheight\":16,\"columns\":2,\"tilecount\":4,\"margin\":1,\"spacing\":2,"
    "\"tiles\":[{\"id\":1,\"properties\":[{\"name\":\"solid\",\"type\":\"bool\",\"value\":true}]},{\"id\":2,"
    "\"animation\":[{\"tileid\":2,\"duration\":100},{\"tileid\":3,\"duration\":50}]}]},{\"firstgid\":5,\"tilewidth\":8,"
    "\"tileheight\":8,\"tiles\":[{\"id\":2,\"image\":\"../b.png\",\"imagewidth\":8,\"imageheight\":8}]}],\"layers\":["
    "{\"type\":\"tilelayer\",\"name\":\"a\",\"width\":2,\"height\":2,\"data\":[1,2147483650,0,3]},"
    "{\"type\":\"group\",\"layers\":[{\"type\":\"tilelayer\",\"name\":\"b\",\"width\":2,\"height\":2,\"compression\":"
    "\"zlib\",\"data\":\"eJxjZGBgYAJiZiBmAWIAAGAACw==\"},{\"type\":\"tilelayer\",\"name\":\"c\",\"chunks\":[{\"x\":-2,"
    "\"y\":0,\"width\":2,\"height\":1,\"data\":[1,2]},{\"x\":0,\"y\":1,\"width\":2,\"height\":1,\"data\":[3,4]}]}]},"
    "{\"type\":\"objectgroup\",\"objects\":[{\"id\":7,\"name\":\"boss\",\"type\":\"tank\",\"x\":10,\"rotation\":30,"
    "\"properties\":[{\"name\":\"health\",\"type\":\"class\",\"value\":{\"hp\":3,\"more\":{\"a\":\"b\"}}}]},{\"id\":8,"
    "\"gid\":2},{\"id\":9,\"polygon\":[{\"x\":0,\"y\":0},{\"x\":5,\"y\":1.5}]}]}]}";
static const char tiled_xml[] =
    "<map width='2' height='1' tilewidth='16' tileheight='16'><tileset firstgid='1' tilewidth='16' tileheight='16'>"
    "<image source='t.png' trans='ff00ff'/><tile id='1' type='gem'><properties><property name='solid' type='bool' "
    "value='true'/><property name='c' type='class'><properties><property name='a'>b</property></properties></property>"
    "</properties><animation><frame tileid='0' duration='50'/></animation></tile></tileset><layer width='2' "
    "height='1'><data encoding='csv'>1,2</data></layer><group><layer><data><chunk x='-2' y='0' width='2' height='1'>"
    "<tile gid='1'/><tile gid='2'/></chunk></data></layer></group><objectgroup><object id='1' gid='2' x='4'/><object "
    "id='2'><polygon points='0,0 5,1.5'/></object></objectgroup></map>";
static const char ldtk[] =
    "{\"defs\":{\"tilesets\":[{\"uid\":5,\"relPath\":\"t.png\",\"pxWid\":32,\"pxHei\":32,\"tileGridSize\":16,"
    "\"customData\":[{\"tileId\":1,\"data\":\"{\\\"solid\\\":true}\"}],\"enumTags\":[{\"enumValueId\":\"solid\","
    "\"tileIds\":"
    "[3]}]}],\"layers\":[{\"uid\":1,\"intGridValues\":[{\"value\":1,\"identifier\":\"solid\"}]}]},\"levels\":["
    "{\"layerInstances\":[{\"__identifier\":\"T\",\"__type\":\"Entities\",\"entityInstances\":[{\"__identifier\":"
    "\"crab\",\"iid\":\"abc\",\"px\":[16,32],\"__pivot\":[0.5,1],\"fieldInstances\":[{\"__identifier\":\"hp\","
    "\"__value\":4}]}]},{\"__identifier\":\"W\",\"__type\":\"IntGrid\",\"layerDefUid\":1,\"__cWid\":2,\"__cHei\":2,"
    "\"__gridSize\":16,\"__tilesetDefUid\":5,\"intGridCsv\":[0,1,0,0],\"autoLayerTiles\":[{\"px\":[16,0],\"t\":3,"
    "\"f\":1},{\"px\":[16,0],\"t\":1,\"f\":0}]}]}]}";

static void reader_setup(void) {
  static const char flac[42] = "fLaC\x80\0\0\x22\x10\0\x10\0\0\0\0\0\0\0\x0A\xC4\x42\xF0";
  static const char ogg[64] = "OggS\0\2\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\1\x1E\1vorbis\0\0\0\0\2\x44\xAC";
  static const char shader[] = "#version 330 core\n#define N 8\nconst int M = 4;\nfloat f(float x) { return x * x; }\n"
                               "void main() { float a[3]; for (int i = 0; i < N; ++i) { a[i] = f(float(i)); } }\n";
  static const char aseprite[] =
      "{\"frames\":[{\"frame\":{\"x\":0,\"y\":0,\"w\":9,\"h\":9},\"trimmed\":true,\"spriteSourceSize\":{\"x\":1},"
      "\"sourceSize\":{\"w\":16},\"duration\":90}],\"meta\":{\"frameTags\":[{\"name\":\"a\",\"from\":0,\"to\":0,"
      "\"repeat\":\"2\"}],\"slices\":[{\"keys\":[{\"bounds\":{},\"pivot\":{},\"center\":{}}]}]}}";
  seed_file("scripts/examples/sprites/assets/knight.png", 100000);
  seed_file("tests/fuzz/corpus/asset_reader/accepted-small.jpg", 30000);
  seed_file("tests/fuzz/corpus/asset_reader/accepted-progressive.jpg", 30000);
  seed_file("tests/fuzz/corpus/asset_reader/accepted-hero.aseprite", 4000);
  seed_file("tests/fuzz/corpus/asset_reader/accepted-lossy.webp", 4000);
  seed_file("tests/fuzz/corpus/asset_reader/accepted-lossless.webp", 4000);
  seed_file("scripts/games/asteroids/assets/blip.wav", 100000);
  seed_file("assets/fonts/ui.ttf", 1000000);
  seed_file("scripts/examples/sprites/assets/knight.json", 4000);
  reader_seed(aseprite, sizeof aseprite - 1);
  reader_seed(flac, sizeof flac);
  reader_seed(ogg, sizeof ogg);
  reader_seed(shader, sizeof shader - 1);
  reader_seed(tiled, sizeof tiled - 1);
  reader_seed(tiled_xml, sizeof tiled_xml - 1);
  reader_seed(ldtk, sizeof ldtk - 1);
}

#define MAX_SOUND_FRAMES (1u << 20)

static bool try_sound(const uint8_t *data, size_t size) {
  error_info_t error = {0};
  sound_head_t head;
  if (!sound_head_read(data, size, true, &head, &error) && !sound_head_read(data, size, false, &head, &error))
    return false;
  uint32_t from, to;
  sound_get_loop(&head, (uint32_t)(size * 7), &from, &to); // asserts that the loop is valid
  if (head.format != FORMAT_WAV || !sdl_load(&error))
    return true;
  static int16_t samples[2 * MAX_SOUND_FRAMES];
  size_t frames = sound_decode(data, size, &head, samples, MAX_SOUND_FRAMES, &error);
  if (frames > SOUND_MAX_BYTES / SOUND_FRAME_BYTES + (1u << 18))
    reader_fail("%zu frames of sound", frames);
  return true;
}

#define ROOM_BYTES (4u << 20) // capacity for a decoded image; larger images are rejected
#define DECODE_MS 2000

static bool try_image(const uint8_t *data, size_t size) {
  error_info_t error = {0};
  decoder_result_t result;
  image_pixels_t pixels;
  uint64_t sum = 0;
  if (!image_check_format(data, size, &error))
    return false;
  decoder_o *d =
      decoder_create(&(decoder_desc_t){.type = &IMAGE_DECODER, .capacity_bytes = ROOM_BYTES, .limit_ms = DECODE_MS});
  decoder_add_file_bytes(d, 0, data, size, false);
  if (!decoder_next_result(d, true, &result))
    reader_fail("an image has no result");
  bool good = result.out && image_read_result(result.out, result.out_bytes, &pixels);
  if (!result.out && !result.error.text[0])
    reader_fail("an image is refused without a reason");
  for (size_t i = 0; good && i < image_levels_bytes(pixels.width, pixels.height); ++i)
    sum += pixels.rgba[i]; // every pixel must be readable
  decoder_destroy(d);
  return good && sum != UINT64_MAX;
}

static bool try_font(const uint8_t *data, size_t size) {
  error_info_t error = {0};
  if (asset_format_detect(data, size) != FORMAT_FONT)
    return false;
  bool good = font_check_run((const char *)data, size, &error);
  if (!good && !error.text[0])
    reader_fail("a font is refused without a reason");
  return good;
}

static bool try_sheet(const uint8_t *data, size_t size) {
  error_info_t error = {0};
  allocator_t memory = {0};
  bool is_none;
  error_info_t notice;
  sheet_t *s = asset_format_detect(data, size) == FORMAT_ASEPRITE
                   ? sheet_read_aseprite(&memory, data, size, &notice, &error)
               : size <= SHEET_MAX_BYTES ? sheet_read(&memory, (const char *)data, size, &is_none, &error)
                                         : NULL;
  for (uint32_t i = 0; s && i < s->clips.count; ++i) {
    const sheet_clip_t *clip = &s->clips.items[i];
    double seconds = sheet_clip_seconds(s, clip);
    if (!(seconds > 0))
      reader_fail("a clip takes %g seconds", seconds);
    for (double part = -0.5; part < 1.5; part += 0.25) {
      uint32_t number = sheet_frame_at(s, clip, seconds * part);
      sheet_frame_t f = sheet_frame(s, (int32_t)number, 64, 64);
      if (number == 0 || !(f.width >= 0) || !(f.height >= 0))
        reader_fail("frame %u has %g × %g texels", number, f.width, f.height);
    }
  }
  bool taken = s != NULL;
  sheet_destroy(s);
  if (memory.bytes != 0)
    reader_fail("%zu bytes of a sheet were not freed", memory.bytes);
  return taken;
}

typedef struct text_t {
  const uint8_t *data;
  size_t size;
} text_t;

// Returns the input itself for every file that the map refers to: an external tileset may contain anything.
static char *read_again(void *context, allocator_t *a, const char *name, size_t *bytes, error_info_t *error) {
  const text_t *t = context;
  (void)name, (void)error;
  char *copy = alloc_resize(a, NULL, 0, t->size + 1);
  memcpy(copy, t->data, t->size);
  copy[t->size] = '\0';
  *bytes = t->size;
  return copy;
}

static bool try_map(allocator_t *memory, const uint8_t *data, size_t size, const char *name) {
  error_info_t error = {0};
  text_t text = {data, size};
  map_source_t source = {.context = &text, .read = read_again};
  map_t *m = map_read(memory, &source, name, "", &error);
  if (!m && strncmp(error.text, "maps/a", 6) != 0)
    reader_fail("the error does not contain the name: %s", error.text);
  for (uint32_t i = 0; m && i < m->layer_count; ++i)
    for (int32_t k = -2; k < 40; ++k)
      if (m->layers[i].columns > 0)
        map_tile_at(m, MAP_TILE(map_cell(&m->layers[i], k, k % 3)), 12345);
  map_destroy(m);
  return m != NULL;
}

static bool reader_try(const uint8_t *data, size_t size) {
  error_info_t error = {0};
  allocator_t memory = {0};
  bool image = try_image(data, size), sound = try_sound(data, size);
  bool font = try_font(data, size);
  bool map = size > 0 && data[0] == '{' &&
             (try_map(&memory, data, size, "maps/a.tmj") | try_map(&memory, data, size, "maps/a.ldtk"));
  map |= size > 0 && data[0] == '<' && try_map(&memory, data, size, "maps/a.tmx");
  if (memory.bytes != 0)
    reader_fail("%zu bytes were not freed", memory.bytes);
  if (image + sound + font > 1)
    reader_fail("the input is accepted as two formats");
  bool shader = shader_check("fuzz", (const char *)data, size, &error);
  bool sheet = try_sheet(data, size) && asset_format_detect(data, size) != FORMAT_ASEPRITE; // the pixels may be damaged
  return image || sound || font || sheet || map || (shader && size > 0 && memchr(data, '{', size));
}

static size_t reader_fix_checksums(uint8_t *data, size_t size, size_t room) {
  (void)data, (void)room;
  return size;
}

static void reader_teardown(void) {
}
