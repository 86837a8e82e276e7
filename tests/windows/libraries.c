// Calls each library that the program for Windows links statically, and prints its version or a result
// (scenarios/windows.sh compares them with libraries.txt).
#define SDL_MAIN_HANDLED
#include "platform/sdl.h"

#include <chipmunk/chipmunk.h>
#include <epoxy/gl.h>
#include <epoxy/wgl.h>
#include <expat.h>
#include <fribidi.h>
#include <ft2build.h>
#include FT_FREETYPE_H
#include <hb-ft.h>
#include <hb.h>
#include <jansson.h>
#include <lauxlib.h>
#include <lualib.h>
#include <minizip/unzip.h>
#include <minizip/zip.h>
#include <sha1.h>
#include <sha2.h>
#include <sleef.h>
#include <sodium.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <webp/decode.h>
#include <webp/encode.h>
#include <webp/mux.h>
#include <wslay/wslay.h>
#include <zlib.h>
#include <zstd.h>

#undef CreateWindow // a macro of windows.h
static const sdl_t sdl_functions = {
#define FUNCTION(name_) .name_ = SDL_##name_,
    SDL_FUNCTIONS(FUNCTION)
#undef FUNCTION
};

const sdl_t *sdl(void) {
  return &sdl_functions;
}

static const char text[] = "text that repeats, text that repeats, text that repeats";

static void call_compressors(void) {
  unsigned char packed[200];
  char unpacked[200];
  uLongf packed_size = sizeof packed, unpacked_size = sizeof unpacked;
  compress(packed, &packed_size, (const Bytef *)text, sizeof text);
  uncompress((Bytef *)unpacked, &unpacked_size, packed, packed_size);
  printf("zlib %s: %s\n", zlibVersion(),
         unpacked_size == sizeof text && packed_size < sizeof text ? unpacked : "differs");
  const size_t size = ZSTD_compress(packed, sizeof packed, text, sizeof text, 3);
  memset(unpacked, 0, sizeof unpacked);
  ZSTD_decompress(unpacked, sizeof unpacked, packed, size);
  printf("zstd %s: %s\n", ZSTD_versionString(), size < sizeof text ? unpacked : "differs");

  zipFile zip = zipOpen("libraries.zip", APPEND_STATUS_CREATE);
  zip_fileinfo info = {0};
  zipOpenNewFileInZip(zip, "entry", &info, NULL, 0, NULL, 0, NULL, Z_DEFLATED, 6);
  zipWriteInFileInZip(zip, text, sizeof text);
  zipCloseFileInZip(zip);
  zipClose(zip, NULL);
  unzFile unzip = unzOpen("libraries.zip");
  memset(unpacked, 0, sizeof unpacked);
  unzLocateFile(unzip, "entry", 1);
  unzOpenCurrentFile(unzip);
  unzReadCurrentFile(unzip, unpacked, sizeof unpacked);
  unzClose(unzip);
  remove("libraries.zip");
  printf("minizip: %s\n", unpacked);
}

static void XMLCALL print_element(void *user, const char *name, const char **attributes) {
  printf("%s %s: %s\n", (const char *)user, name, attributes[1]);
}

static int print_row(void *user, int count, char **values, char **names) {
  printf("%s %s: %s\n", (const char *)user, names[0], values[count - 1]);
  return 0;
}

static void call_text_formats(void) {
  sqlite3 *db = NULL;
  sqlite3_open(":memory:", &db);
  sqlite3_exec(db, "SELECT sqlite_version() AS version, group_concat(value || '') FROM json_each('[1, 2, 3]')",
               print_row, (void *)"sqlite", NULL);
  sqlite3_exec(db, "CREATE VIRTUAL TABLE t USING rtree(id, a, b); INSERT INTO t VALUES (7, 1, 2)", NULL, NULL, NULL);
  sqlite3_exec(db, "SELECT id FROM t WHERE a > 0", print_row, (void *)"sqlite rtree", NULL);
  sqlite3_close(db);
  json_t *json = json_loads("{\"x\": [1.5, \"\\u00e9\"]}", 0, NULL);
  char *dump = json_dumps(json, JSON_COMPACT | JSON_ENSURE_ASCII);
  printf("jansson %s: %s\n", JANSSON_VERSION, dump);
  XML_Parser parser = XML_ParserCreate(NULL);
  XML_SetUserData(parser, (void *)"expat");
  XML_SetStartElementHandler(parser, print_element);
  const char xml[] = "<map width='40'/>";
  if (XML_Parse(parser, xml, sizeof xml - 1, 1) != XML_STATUS_OK)
    printf("expat: %s\n", XML_ErrorString(XML_GetErrorCode(parser)));
  XML_ParserFree(parser);
  char digest[SHA256_DIGEST_STRING_LENGTH], digest_1[SHA1_DIGEST_STRING_LENGTH];
  uint8_t bytes[SHA256_DIGEST_LENGTH], bytes_1[SHA1_DIGEST_LENGTH];
  SHA2_CTX sha256;
  SHA1_CTX sha1;
  SHA256Init(&sha256);
  SHA256Update(&sha256, (const uint8_t *)"abc", 3);
  SHA256Final(bytes, &sha256);
  SHA1Init(&sha1);
  SHA1Update(&sha1, (const uint8_t *)"abc", 3);
  SHA1Final(bytes_1, &sha1);
  sodium_bin2hex(digest, sizeof digest, bytes, sizeof bytes);
  sodium_bin2hex(digest_1, sizeof digest_1, bytes_1, sizeof bytes_1);
  printf("libmd: %s %s\n", digest, digest_1);
}

static void call_font_libraries(void) {
  FriBidiChar logical[] = {0x5d0, 0x5d1, '1', '2'}, visual[4];
  FriBidiParType direction = FRIBIDI_PAR_ON;
  fribidi_log2vis(logical, 4, &direction, visual, NULL, NULL, NULL);
  printf("fribidi %s: %x %x %x %x\n", FRIBIDI_VERSION, visual[0], visual[1], visual[2], visual[3]);
  FT_Library freetype = NULL;
  FT_Int major, minor, patch;
  if (FT_Init_FreeType(&freetype) != 0)
    printf("freetype: cannot initialise\n");
  FT_Library_Version(freetype, &major, &minor, &patch);
  printf("freetype %d.%d.%d\n", major, minor, patch);
  FT_Done_FreeType(freetype);
  printf("harfbuzz %s %s\n", hb_version_string(), (void *)hb_ft_font_create_referenced ? "with FreeType" : "");
}

static void call_picture_libraries(void) {
  const uint8_t pixels[4 * 4] = {255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 9, 8, 7, 255};
  uint8_t *file = NULL;
  const size_t size = WebPEncodeLosslessRGBA(pixels, 2, 2, 8, &file);
  int width = 0, height = 0;
  uint8_t *decoded = WebPDecodeRGBA(file, size, &width, &height);
  WebPAnimEncoderOptions options;
  printf("webp: %d x %d, %s, mux %d\n", width, height,
         decoded && !memcmp(decoded, pixels, sizeof pixels) ? "equal" : "differs",
         WebPAnimEncoderOptionsInit(&options));
  WebPFree(decoded);
  WebPFree(file);
  PFNWGLGETEXTENSIONSSTRINGEXTPROC unused = epoxy_wglGetExtensionsStringEXT;
  epoxy_handle_external_wglMakeCurrent();
  printf("epoxy: %s\n", unused ? "linked" : "");
}

static void call_cryptography(void) {
  unsigned char hash[32], key[crypto_aead_xchacha20poly1305_ietf_KEYBYTES] = {1}, packed[80], unpacked[80];
  const unsigned char nonce[crypto_aead_xchacha20poly1305_ietf_NPUBBYTES] = {2};
  unsigned long long packed_size = 0, unpacked_size = 0;
  char hex[65];
  printf("sodium %s: initialised %d, ", SODIUM_VERSION_STRING, sodium_init());
  crypto_generichash(hash, sizeof hash, (const unsigned char *)text, sizeof text, NULL, 0);
  crypto_aead_xchacha20poly1305_ietf_encrypt(packed, &packed_size, (const unsigned char *)text, sizeof text, NULL, 0,
                                             NULL, nonce, key);
  const int opened = crypto_aead_xchacha20poly1305_ietf_decrypt(unpacked, &unpacked_size, NULL, packed, packed_size,
                                                                NULL, 0, nonce, key);
  unsigned char a_public[32], a_secret[32], b_public[32], b_secret[32], rx[32], tx[32], rx_2[32], tx_2[32];
  crypto_kx_keypair(a_public, a_secret);
  crypto_kx_keypair(b_public, b_secret);
  const int failed = crypto_kx_client_session_keys(rx, tx, a_public, a_secret, b_public) ||
                     crypto_kx_server_session_keys(rx_2, tx_2, b_public, b_secret, a_public);
  printf("%s, %.8s, keys %s\n", opened ? "differs" : (char *)unpacked,
         sodium_bin2hex(hex, sizeof hex, hash, sizeof hash),
         failed || sodium_memcmp(rx, tx_2, 32) || sodium_memcmp(tx, rx_2, 32) ? "differ" : "equal");
}

static ssize_t discard(const uint8_t *data, size_t size, int flags, void *user) {
  (void)data, (void)flags;
  *(size_t *)user += size;
  return (ssize_t)size;
}

static void call_other_libraries(void) {
  SDL_version version;
  SDL_SetMainReady();
  SDL_GetVersion(&version);
  printf("SDL %d.%d.%d on %s: %d\n", version.major, version.minor, version.patch, SDL_GetPlatform(),
         SDL_Init(SDL_INIT_TIMER));
  size_t frame_size = 0;
  struct wslay_frame_callbacks callbacks = {.send_callback = discard};
  struct wslay_frame_iocb frame = {
      .fin = 1, .opcode = 1, .payload_length = 2, .data = (const uint8_t *)"hi", .data_length = 2};
  wslay_frame_context_ptr frames = NULL;
  wslay_frame_context_init(&frames, &callbacks, &frame_size);
  wslay_frame_send(frames, &frame);
  printf("wslay %s: %u bytes\n", WSLAY_VERSION, (unsigned)frame_size);
  cpSpace *space = cpSpaceNew();
  cpSpaceSetGravity(space, cpv(0, -10));
  cpBody *body = cpSpaceAddBody(space, cpBodyNew(1, 1));
  cpSpaceStep(space, 0.5);
  printf("chipmunk %s: %g\n", cpVersionString, cpBodyGetVelocity(body).y);
  printf("sleef: %a\n", _mm_cvtsd_f64(Sleef_cinz_sind2_u35sse2(_mm_set_sd(1))));
  lua_State *L = luaL_newstate();
  luaL_openlibs(L);
  if (luaL_dostring(L, "local ok, why = pcall(error, 'caught', 0) return jit.os .. ' ' .. jit.arch .. ': ' .. why"))
    printf("luajit: ");
  printf("LuaJIT %s\n", lua_tostring(L, -1));
}

int main(void) {
  call_compressors();
  call_text_formats();
  call_font_libraries();
  call_picture_libraries();
  call_cryptography();
  call_other_libraries();
  return 0;
}
