// Components that are columns and nothing else: other rooms read them (render draws, host plays, script runs).
#ifndef SHOAL_COMPONENTS_PLAIN_H
#define SHOAL_COMPONENTS_PLAIN_H

#include "ecs/world.h"

bool sprite_declare(world_o *w, error_t *error);
bool shape_declare(world_o *w, error_t *error);
bool text_declare(world_o *w, error_t *error);
bool text_style_declare(world_o *w, error_t *error);
bool camera_declare(world_o *w, error_t *error);
bool sound_declare(world_o *w, error_t *error);
bool script_declare(world_o *w, error_t *error);
bool disabled_declare(world_o *w, error_t *error);
bool material_declare(world_o *w, error_t *error);
bool y_sort_declare(world_o *w, error_t *error);
bool sensor_declare(world_o *w, error_t *error);
bool sound_space_declare(world_o *w, error_t *error);
bool sound_listener_declare(world_o *w, error_t *error);

#endif
