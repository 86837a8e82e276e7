// Decodes all formats in the same way: samples of 16 bits with one or two channels at the file's rate, then resampling
// (resample.h). SDL's own resampler is not used, because SDL_mixer drops the samples that the resampler holds back at
// the end of a file.
#include "platform/sound_decode.h"

#include "base/assert.h"
#include "platform/resample.h"
#include "platform/sdl.h"

#include <SDL2/SDL_mixer.h>
#include <string.h>

// Maximum size in bytes of the samples that SDL_mixer decodes. SDL_mixer keeps two copies of them, and a decoder
// process may use DECODER_MEMORY_MB.
#define MAX_MIXER_BYTES ((uint64_t)448 << 20)

// Samples at the file's rate.
typedef struct pcm_t {
  void *memory;     // block allocated by SDL_malloc
  int16_t *samples; // samples inside `memory`
  size_t frames;
  uint32_t channels, rate_hz; // `channels`: 1 or 2
} pcm_t;

// --- channels

#define SILENT 8u

// Assignment of a file's channels to one of SDL's channel layouts. `sources` contains the file's channel for each
// channel of the layout. SDL has no layout of three or five channels with a center, so files with such channels use the
// layout 5.1 with silent channels.
typedef struct channel_order_t {
  uint32_t channels; // number of channels in SDL's layout; 0 if the file has SDL's channel order
  uint8_t sources[SOUND_MAX_CHANNELS];
} channel_order_t;

// Vorbis and Opus have one order for each number of channels.
static const channel_order_t OGG_ORDERS[SOUND_MAX_CHANNELS + 1] = {
    [3] = {6, {0, 2, 1, SILENT, SILENT, SILENT}},
    [5] = {6, {0, 2, 1, SILENT, 3, 4}},
    [6] = {6, {0, 2, 1, 5, 3, 4}},
    [7] = {7, {0, 2, 1, 6, 5, 3, 4}},
    [8] = {8, {0, 2, 1, 7, 5, 6, 3, 4}},
};

// Bits of a WAVEFORMATEXTENSIBLE channel mask (mmreg.h). Speakers at both sides of the center, and speakers above the
// listener, are omitted.
enum {
  FRONT_LEFT = 1 << 0,
  FRONT_RIGHT = 1 << 1,
  CENTER = 1 << 2,
  BASS = 1 << 3,
  BACK_LEFT = 1 << 4,
  BACK_RIGHT = 1 << 5,
  BACK_CENTER = 1 << 8,
  SIDE_LEFT = 1 << 9,
  SIDE_RIGHT = 1 << 10
};

// The speakers of SDL's layouts (SDL_audio.h), indexed by the number of channels.
static const uint16_t LAYOUTS[SOUND_MAX_CHANNELS + 1][SOUND_MAX_CHANNELS] = {
    [2] = {FRONT_LEFT, FRONT_RIGHT},
    [3] = {FRONT_LEFT, FRONT_RIGHT, BASS},
    [4] = {FRONT_LEFT, FRONT_RIGHT, BACK_LEFT, BACK_RIGHT},
    [5] = {FRONT_LEFT, FRONT_RIGHT, BASS, BACK_LEFT, BACK_RIGHT},
    [6] = {FRONT_LEFT, FRONT_RIGHT, CENTER, BASS, BACK_LEFT, BACK_RIGHT},
    [7] = {FRONT_LEFT, FRONT_RIGHT, CENTER, BASS, BACK_CENTER, SIDE_LEFT, SIDE_RIGHT},
    [8] = {FRONT_LEFT, FRONT_RIGHT, CENTER, BASS, BACK_LEFT, BACK_RIGHT, SIDE_LEFT, SIDE_RIGHT},
};

// Speakers of WAV and FLAC files that name no speakers, if they differ from SDL's layout for this number of channels.
static const uint32_t DEFAULT_SPEAKERS[SOUND_MAX_CHANNELS + 1] = {
    [3] = FRONT_LEFT | FRONT_RIGHT | CENTER,
    [5] = FRONT_LEFT | FRONT_RIGHT | CENTER | BACK_LEFT | BACK_RIGHT,
};

static uint32_t count_bits(uint32_t bits) {
  uint32_t count = 0;
  for (; bits; bits &= bits - 1)
    ++count;
  return count;
}

// Returns the speaker at the side for a speaker at the back, and vice versa. Returns 0 for any other speaker.
static uint32_t replace_surround(uint32_t speaker) {
  return speaker & (BACK_LEFT | BACK_RIGHT) ? speaker << 5 : speaker & (SIDE_LEFT | SIDE_RIGHT) ? speaker >> 5 : 0;
}

// Assigns the channels of a file to SDL's layout of `channels` channels. If a layout has only speakers at the back,
// they replace speakers at the side, and vice versa. Returns true if each channel has a speaker.
static bool assign_channels(uint32_t speakers, uint32_t channels, channel_order_t *out) {
  uint32_t available = 0, assigned = 0;
  for (uint32_t i = 0; i < channels; ++i)
    available |= LAYOUTS[channels][i];
  *out = (channel_order_t){.channels = channels};
  for (uint32_t i = 0; i < channels; ++i) {
    uint32_t speaker = LAYOUTS[channels][i], replaced = replace_surround(speaker);
    if (!(speakers & speaker) && !(available & replaced))
      speaker = replaced;
    bool is_present = (speakers & speaker) != 0;
    out->sources[i] = is_present ? (uint8_t)count_bits(speakers & (speaker - 1)) : SILENT;
    assigned += is_present;
  }
  return assigned == count_bits(speakers);
}

static bool has_order_of_sdl(const channel_order_t *order, uint32_t channels) {
  for (uint32_t i = 0; i < channels; ++i)
    if (order->sources[i] != i)
      return false;
  return order->channels == channels;
}

// Returns the channel order of a file: the fixed order of Ogg files or, for other formats, the order for SDL's smallest
// layout that contains all speakers of the file. If no layout contains them, returns the default order.
static channel_order_t find_channel_order(const sound_head_t *head) {
  uint32_t count = head->channels, speakers = head->speakers;
  shoal_assert(count <= SOUND_MAX_CHANNELS, "%u channels are out of range", count);
  if (head->format == FORMAT_OGG)
    return OGG_ORDERS[count];
  for (uint32_t bit = 31; count_bits(speakers) > count; --bit)
    speakers &= ~(1u << bit); // a mask may have more bits than the file has channels
  channel_order_t order = {0};
  for (uint32_t channels = 2; count > 1 && count_bits(speakers) == count && channels <= SOUND_MAX_CHANNELS; ++channels)
    if (assign_channels(speakers, channels, &order))
      return has_order_of_sdl(&order, count) ? (channel_order_t){0} : order;
  return DEFAULT_SPEAKERS[count] && assign_channels(DEFAULT_SPEAKERS[count], 6, &order) ? order : (channel_order_t){0};
}

// Mixes the `channels` channels of a file down to stereo, in place. Returns true on success, or false if SDL cannot
// convert the samples.
static bool mix_down(pcm_t *pcm, uint32_t channels, const channel_order_t *order) {
  enum { BLOCK_FRAMES = 1024, MAX_GROWTH = 8 }; // MAX_GROWTH: maximum growth of samples that SDL converts in place
  static int16_t block[BLOCK_FRAMES * 8 * MAX_GROWTH];
  SDL_AudioCVT convert;
  if (sdl()->BuildAudioCVT(&convert, AUDIO_S16SYS, (Uint8)order->channels, (int)pcm->rate_hz, AUDIO_S16SYS, 2,
                           (int)pcm->rate_hz) < 0)
    return false;
  shoal_assert(convert.len_mult <= MAX_GROWTH, "SDL needs a buffer of %d times the samples", convert.len_mult);
  for (size_t start = 0, count; start < pcm->frames; start += count) {
    count = pcm->frames - start < BLOCK_FRAMES ? pcm->frames - start : BLOCK_FRAMES;
    for (size_t i = 0; i < count * order->channels; ++i) {
      uint32_t source = order->sources[i % order->channels];
      block[i] = source == SILENT ? 0 : pcm->samples[(start + i / order->channels) * channels + source];
    }
    convert.buf = (Uint8 *)block;
    convert.len = convert.len_cvt = (int)(count * order->channels * sizeof block[0]);
    if (sdl()->ConvertAudio(&convert) < 0)
      return false;
    memcpy(pcm->samples + 2 * start, block, count * SOUND_FRAME_BYTES);
  }
  return true;
}

// --- WAV

static SDL_AudioFormat sample_format(const sound_head_t *h) {
  // 24-bit samples count as 32-bit samples, because they are widened
  return h->is_float ? AUDIO_F32LSB : h->bits == 8 ? AUDIO_U8 : h->bits == 16 ? AUDIO_S16LSB : AUDIO_S32LSB;
}

static void copy_samples(const uint8_t *source, const sound_head_t *h, uint8_t *target) {
  if (h->bits != 24) {
    memcpy(target, source, h->data_bytes);
    return;
  }
  for (size_t i = 0; i < h->data_bytes / 3; ++i) {
    target[4 * i] = 0;
    memcpy(target + 4 * i + 1, source + 3 * i, 3);
  }
}

static bool decode_wav(const uint8_t *bytes, const sound_head_t *head, uint32_t channels, pcm_t *out) {
  SDL_AudioCVT convert;
  size_t expanded_bytes = head->bits == 24 ? head->data_bytes / 3 * 4 : head->data_bytes;
  shoal_assert(head->frames > 0, "the WAV must have at least one frame (format %d)", (int)head->format);
  if (sdl()->BuildAudioCVT(&convert, sample_format(head), (Uint8)head->channels, (int)head->rate_hz, AUDIO_S16SYS,
                           (Uint8)channels, (int)head->rate_hz) < 0)
    return false;
  size_t capacity = expanded_bytes * (size_t)(convert.needed && convert.len_mult > 1 ? convert.len_mult : 1);
  if (capacity > INT32_MAX || !(convert.buf = sdl()->malloc(capacity)))
    return false;
  out->memory = convert.buf;
  convert.len = convert.len_cvt = (int)expanded_bytes;
  copy_samples(bytes + head->data_offset, head, convert.buf);
  if (convert.needed && sdl()->ConvertAudio(&convert) < 0)
    return false;
  shoal_assert((size_t)convert.len_cvt <= capacity, "%d bytes of samples exceed the buffer of %zu", convert.len_cvt,
               capacity);
  out->samples = (int16_t *)(void *)convert.buf;
  out->frames = (size_t)convert.len_cvt / (channels * sizeof(int16_t));
  return true;
}

// --- formats that SDL_mixer decodes

void sound_decode_prepare(void) {
  error_info_t ignored = {0}; // sound_decode reports the error
  if (sdl_load(&ignored))
    Mix_Init(MIX_INIT_OPUS); // loads libopusfile
}

// Decodes a file to 16-bit samples. Returns true on success, or false if SDL2_mixer cannot read the file. SDL2_mixer is
// built without an audio device (scripts/build/pinned_library.sh), so it only decodes to the given format. It takes no
// lock that the game's audio thread may have held at the fork.
static bool decode_with_mixer(const uint8_t *bytes, size_t size_bytes, uint32_t channels, pcm_t *out) {
  Mix_CloseAudio(); // an open mixer keeps its rate
  if (Mix_OpenAudio((int)out->rate_hz, AUDIO_S16SYS, (int)channels, 4096) < 0)
    return false;
  Mix_Chunk *chunk = Mix_LoadWAV_RW(sdl()->RWFromConstMem(bytes, (int)size_bytes), 1);
  if (!chunk)
    return false;
  out->memory = chunk->abuf;
  out->samples = (int16_t *)(void *)chunk->abuf;
  out->frames = chunk->alen / (channels * sizeof(int16_t));
  chunk->allocated = 0; // keeps `abuf` alive
  Mix_FreeChunk(chunk);
  return true;
}

// Removes the samples that an MP3 encoder has added at both ends.
static void trim(pcm_t *pcm, const sound_head_t *head) {
  if (head->skip_frames >= pcm->frames)
    return;
  pcm->samples += head->skip_frames * pcm->channels;
  pcm->frames -= head->skip_frames;
  if (head->format == FORMAT_MP3 && head->frames > 0 && pcm->frames > head->frames)
    pcm->frames = (size_t)head->frames;
}

// --- conversion to the format of the output

// Copies a mono channel to both stereo channels.
static void duplicate_channel(const int16_t *source, size_t frames, int16_t *target) {
  for (size_t i = frames; i-- > 0;) // iterates backwards, because `target` may equal `source`
    target[2 * i] = target[2 * i + 1] = source[i];
}

static bool write_output(const resample_desc_t *desc, size_t frames, int16_t *out) {
  bool same_rate = desc->from_hz == desc->to_hz;
  if (!same_rate && !resample(desc, out))
    return false;
  if (desc->channels == 1)
    duplicate_channel(same_rate ? desc->source : out, frames, out);
  else if (same_rate)
    memcpy(out, desc->source, frames * SOUND_FRAME_BYTES);
  return true;
}

size_t sound_decode(const uint8_t *bytes, size_t size_bytes, const sound_head_t *head, int16_t *out, size_t max_frames,
                    error_info_t *error) {
  bool is_wav = head->format == FORMAT_WAV, is_huge = head->frames * SOUND_FRAME_BYTES > MAX_MIXER_BYTES;
  pcm_t pcm = {.channels = head->channels == 1 ? 1 : 2, .rate_hz = head->rate_hz};
  if (pcm.rate_hz == 0 || (is_huge && !is_wav))
    pcm.rate_hz = SOUND_RATE_HZ;
  if (!sdl_load(error))
    return 0;
  const channel_order_t order = find_channel_order(head);
  uint32_t channels = order.channels > 0 ? head->channels : pcm.channels;
  // Rejects a file that is too long for all of its channels. SDL_mixer would not decode all of them, and would mix the
  // channels in the wrong order.
  if (!is_wav && order.channels > 0 && head->frames * head->channels * sizeof(int16_t) > MAX_MIXER_BYTES)
    return error_set(error, "%u channels and %.1f minutes take more than %u MB: convert the file to stereo", channels,
                     (double)head->frames / head->rate_hz / 60, (unsigned)(MAX_MIXER_BYTES >> 20));
  bool ok = is_wav ? decode_wav(bytes, head, channels, &pcm) : decode_with_mixer(bytes, size_bytes, channels, &pcm);
  if (ok && order.channels > 0)
    ok = mix_down(&pcm, channels, &order);
  if (ok)
    trim(&pcm, head);
  const resample_desc_t desc = {.source = pcm.samples,
                                .frames = pcm.frames,
                                .channels = pcm.channels,
                                .from_hz = pcm.rate_hz,
                                .to_hz = SOUND_RATE_HZ};
  size_t frames = resample_count_output_frames(&desc);
  if (!ok)
    error_set(error, "%s", sdl()->GetError());
  else if (frames == 0)
    error_set(error, "the file contains no samples");
  else if (frames <= max_frames)
    ok = write_output(&desc, frames, out) || error_set(error, "out of memory");
  sdl()->free(pcm.memory);
  return ok ? frames : 0;
}
