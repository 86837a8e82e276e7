// SDL2, loaded on first use. Loading it at startup, with its display and sound libraries, would take more than half of
// the time before main(), and headless programs do not need it.
#ifndef SHOAL_PLATFORM_SDL_H
#define SHOAL_PLATFORM_SDL_H

#include "base/error.h"

#include <SDL2/SDL.h>

// The functions that the engine uses, without their prefix "SDL_".
// clang-format off
#define SDL_FUNCTIONS(X)                                                                                               \
  X(BuildAudioCVT) X(ConvertAudio) X(CreateRGBSurfaceWithFormat) X(CreateWindow) X(DestroyWindow) X(FillRect)          \
  X(FreeSurface) X(GL_CreateContext) X(GL_DeleteContext) X(GL_GetDrawableSize) X(GL_LoadLibrary)                       \
  X(GL_MakeCurrent) X(GL_SetAttribute) X(GL_SetSwapInterval) X(GL_SwapWindow) X(GL_UnloadLibrary)                      \
  X(GameControllerAddMapping) X(GameControllerClose) X(GameControllerGetJoystick) X(GameControllerGetType)             \
  X(GameControllerName) X(GameControllerOpen) X(GameControllerRumble) X(GetClipboardText)                              \
  X(GetCurrentVideoDriver) X(GetDisplayUsableBounds) X(GetError) X(GetKeyFromScancode) X(GetKeyName)                   \
  X(GetPlatform) X(GetPreferredLocales) X(GetWindowFlags) X(GetWindowSize) X(GetWindowSurface)                         \
  X(InitSubSystem) X(IsGameController) X(IsTextInputActive) X(JoystickGetDeviceGUID)                                   \
  X(JoystickGetDeviceInstanceID) X(JoystickInstanceID) X(MapRGB) X(NumJoysticks) X(PollEvent)                          \
  X(QuitSubSystem) X(RWFromConstMem) X(SetClipboardText) X(SetError) X(SetHint) X(SetTextInputRect)                    \
  X(SetWindowFullscreen) X(SetWindowIcon) X(SetWindowMinimumSize) X(SetWindowResizable) X(SetWindowSize)               \
  X(SetWindowTitle) X(ShowSimpleMessageBox) X(StartTextInput) X(StopTextInput) X(UpdateWindowSurface)                  \
  X(WaitEvent) X(WasInit) X(free) X(getenv) X(malloc)
// clang-format on

typedef struct sdl_t {
#define SDL_MEMBER(name_) __typeof__(&SDL_##name_) name_;
  SDL_FUNCTIONS(SDL_MEMBER)
#undef SDL_MEMBER
} sdl_t;

// Loads the library, which is never unloaded. A program that embeds Shoal in its own window uses the same copy. Returns
// false with a message if the library cannot be loaded or lacks a function. Not thread-safe.
bool sdl_load(error_info_t *error);
// Returns the functions. SDL must be loaded.
const sdl_t *sdl(void);
bool sdl_is_loaded(void);

#endif
