// Where things lie: the installation and the games in it. Plain paths, found once.
#ifndef SHOAL_HOST_PLACES_H
#define SHOAL_HOST_PLACES_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

#define PLACES_PATH_MAX 512

typedef struct places_t {
  char root[PLACES_PATH_MAX];    // holds scripts/shoal
  char engine[PLACES_PATH_MAX];  // <root>/scripts/shoal
  char games[PLACES_PATH_MAX];   // <root>/scripts/games
  char menu[PLACES_PATH_MAX];    // <root>/scripts/shoal/menu
  char assets[PLACES_PATH_MAX];  // <root>/assets
  char plugins[PLACES_PATH_MAX]; // that come with Shoal: plugins/ beside the folder of the executable; "" for none
} places_t;

// The root is $SHOAL_ROOT, or the nearest folder above the executable that holds scripts/shoal. `program` is argv[0], for systems
// that do not tell where the executable is. False with a message that says where it was looked for.
bool places_find(places_t *p, const char *program, error_t *error);

// The folder of a game by name ("asteroids") into `out` (caller's, PLACES_PATH_MAX). False with a sentence for people when there is none.
bool places_game(const places_t *p, const char *name, char *out, error_t *error);
// A game folder from anywhere, as an absolute path. False with a sentence when it is missing, unreadable or no game.
bool places_folder(const char *folder, char *out, error_t *error);

#endif
