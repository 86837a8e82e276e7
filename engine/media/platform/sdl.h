// SDL2. On Linux, it is loaded on first use: loading it at startup, with its display and sound libraries, would take
// more than half of the time before main(), and headless programs do not need it. On Windows, the program contains it.
#ifndef SHOAL_PLATFORM_SDL_H
#define SHOAL_PLATFORM_SDL_H

#include "base/error.h"

#include <SDL2/SDL.h>

// The functions that the engine and the decoders of SDL2_mixer use (scripts/build/pinned_library.sh), without their
// prefix "SDL_".
// clang-format off
#define SDL_FUNCTIONS(X)                                                                                               \
  X(AddEventWatch) X(AtomicGet) X(AtomicSet) X(AudioStreamClear) X(AudioStreamFlush) X(AudioStreamGet)                 \
  X(AudioStreamPut) X(BuildAudioCVT) X(ClearError) X(CloseAudioDevice) X(ConvertAudio) X(CreateColorCursor)            \
  X(CreateRGBSurfaceWithFormat) X(CreateWindow) X(DelEventWatch) X(Delay) X(DestroyWindow) X(Error) X(FillRect)        \
  X(FreeAudioStream) X(FreeCursor) X(FreeSurface) X(GL_CreateContext) X(GL_DeleteContext) X(GL_GetDrawableSize)        \
  X(GL_LoadLibrary) X(GL_MakeCurrent) X(GL_SetAttribute) X(GL_SetSwapInterval) X(GL_SwapWindow) X(GL_UnloadLibrary)    \
  X(GameControllerAddMapping) X(GameControllerClose) X(GameControllerGetJoystick) X(GameControllerGetType)             \
  X(GameControllerName) X(GameControllerOpen) X(GameControllerRumble) X(GetAudioDeviceStatus) X(GetClipboardText)      \
  X(GetCurrentVideoDriver) X(GetDefaultCursor) X(GetDesktopDisplayMode) X(GetDisplayUsableBounds) X(GetError)          \
  X(GetHintBoolean) X(GetKeyFromScancode) X(GetKeyName) X(GetKeyboardState) X(GetPlatform) X(GetPreferredLocales)      \
  X(GetRelativeMouseMode) X(GetTicks) X(GetWindowDisplayIndex) X(GetWindowFlags) X(GetWindowSize) X(GetWindowSurface)  \
  X(InitSubSystem) X(IsGameController) X(IsTextInputActive) X(JoystickGetDeviceGUID) X(JoystickGetDeviceInstanceID)    \
  X(JoystickGetGUIDString) X(JoystickInstanceID) X(JoystickNameForIndex) X(LoadFunction) X(LoadObject) X(LoadWAV_RW)   \
  X(Log) X(MapRGB) X(MixAudioFormat) X(NewAudioStream) X(NumJoysticks) X(OpenAudioDevice) X(PauseAudioDevice)          \
  X(PollEvent) X(QuitSubSystem) X(RWFromConstMem) X(RWFromFile) X(RWclose) X(RWread) X(RWseek) X(RWsize) X(RWtell)     \
  X(ReadBE16) X(ReadBE32) X(ReadLE32) X(SetClipboardText) X(SetCursor) X(SetError) X(SetHint) X(SetRelativeMouseMode)  \
  X(SetTextInputRect) X(SetWindowFullscreen) X(SetWindowIcon) X(SetWindowMinimumSize) X(SetWindowMouseGrab)            \
  X(SetWindowResizable) X(SetWindowSize) X(SetWindowTitle) X(ShowCursor) X(ShowSimpleMessageBox) X(StartTextInput)     \
  X(StopTextInput) X(UnloadObject) X(UpdateWindowSurface) X(WaitEvent) X(WarpMouseInWindow) X(WasInit) X(calloc)       \
  X(free) X(getenv) X(iconv_string) X(malloc) X(realloc) X(strdup) X(strlcpy)
// clang-format on

typedef struct sdl_t {
#define SDL_MEMBER(name_) __typeof__(&SDL_##name_) name_;
  SDL_FUNCTIONS(SDL_MEMBER)
#undef SDL_MEMBER
} sdl_t;

// Loads the library, which is never unloaded. A program that embeds Shoal in its own window uses the same copy. Returns
// true on success, or false with a message if the library cannot be loaded or lacks a function. Not thread-safe.
bool sdl_load(error_info_t *error);
// Returns the functions. SDL must be loaded.
const sdl_t *sdl(void);
bool sdl_is_loaded(void);
// Returns true if the display may be opened on a thread that ends before the window is created. On Windows, the windows
// with which SDL receives events belong to the thread that opens the display, and are closed when it ends.
bool sdl_can_open_display_on_any_thread(void);

#endif
