// Built-in components without a separate module, used mainly by render/ and sound/.
#ifndef SHOAL_COMPONENTS_DATA_COMPONENTS_H
#define SHOAL_COMPONENTS_DATA_COMPONENTS_H

#include "components/builtin.h"

// An image, shape or text at the entity's transform, drawn by render/.
BUILTIN_COMPONENT(sprite, SHOAL_SPRITE_FIELDS)
BUILTIN_COMPONENT(shape, SHOAL_SHAPE_FIELDS)
BUILTIN_COMPONENT(text, SHOAL_TEXT_FIELDS)
BUILTIN_COMPONENT(text_style, SHOAL_TEXT_STYLE_FIELDS)

BUILTIN_COMPONENT(material, SHOAL_MATERIAL_FIELDS)

BUILTIN_COMPONENT(y_sort, SHOAL_Y_SORT_FIELDS)

// A camera: shows the world around its transform. Visible cameras are listed by camera/viewport.h.
BUILTIN_COMPONENT(camera, SHOAL_CAMERA_FIELDS)

// A sound that plays while `playing` is true. With sound_space, its volume and pan depend on the position of its entity
// relative to the entity with sound_listener or, without such an entity, to the camera.
BUILTIN_COMPONENT(sound, SHOAL_SOUND_FIELDS)
BUILTIN_COMPONENT(sound_space, SHOAL_SOUND_SPACE_FIELDS)
BUILTIN_COMPONENT(sound_listener, SHOAL_SOUND_LISTENER_FIELDS)

// Declare components without fields. `disabled` is `many`; see ecs/query.h for its rows. Return true on success, or
// false with an error if the declaration is rejected.
bool disabled_declare(world_o *w, error_info_t *error);
bool sensor_declare(world_o *w, error_info_t *error);
bool one_way_declare(world_o *w, error_info_t *error);

#endif
