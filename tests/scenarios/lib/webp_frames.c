// Decodes an animated WebP file: webp_frames FILE FOLDER writes each frame to FOLDER/N.rgb, N counted from 0, and
// prints the width, the height, the number of frames and the end of each frame in ms.
#include <stdio.h>
#include <stdlib.h>
#include <webp/demux.h>

int main(int argc, char **argv) {
  FILE *file = argc == 3 ? fopen(argv[1], "rb") : NULL;
  static uint8_t bytes[64 << 20];
  WebPData data = {bytes, file ? fread(bytes, 1, sizeof bytes, file) : 0};
  WebPAnimDecoder *decoder = WebPAnimDecoderNew(&data, NULL);
  WebPAnimInfo info;
  uint8_t *rgba;
  int time_ms;
  if (!decoder || !WebPAnimDecoderGetInfo(decoder, &info))
    return 1;
  printf("%u %u %u", info.canvas_width, info.canvas_height, info.frame_count);
  for (int i = 0; WebPAnimDecoderGetNext(decoder, &rgba, &time_ms); ++i) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%d.rgb", argv[2], i);
    FILE *out = fopen(path, "wb");
    for (size_t k = 0; out && k < (size_t)info.canvas_width * info.canvas_height; ++k)
      fwrite(rgba + 4 * k, 3, 1, out);
    if (!out || fclose(out) != 0)
      return 1;
    printf(" %d", time_ms);
  }
  puts("");
  return 0;
}
