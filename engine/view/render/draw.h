// Immediate-mode drawing for one frame, for render systems and widgets. Calls append commands to a list. The renderer
// sorts the commands by space, layer, depth and call order, and draws them together with the components. The list is
// plain data, so it works without a window. Lua calls these functions through the FFI. Strings and points are copied.
#ifndef SHOAL_RENDER_DRAW_H
#define SHOAL_RENDER_DRAW_H

#include <stdbool.h>
#include <stdint.h>

typedef struct draw_o draw_o;
typedef struct paint_o paint_o;

draw_o *draw_create(void);
void draw_destroy(draw_o *draw);
void draw_clear(draw_o *draw);         // starts a frame; also calls draw_reset
paint_o *draw_get_paint(draw_o *draw); // returns the plugins' drawing data (paint/paint.h); valid as long as the list

// Sets the part of screen space that the window shows, in logical pixels. It persists across draw_clear.
void draw_set_visible_area(draw_o *draw, float x, float y, float width, float height);
// Stores the visible area in `out`: left edge, top edge, width and height. All are 0 before the first call of
// draw_set_visible_area.
void draw_get_visible_area(const draw_o *draw, float out[4]);

// --- state of subsequent calls

// Resets the state to the defaults given below. Call this before drawing, because the state persists from system to
// system.
void draw_reset(draw_o *draw);
void draw_set_space(draw_o *draw, bool screen); // selects screen space or world space (default: world)
// Restricts drawing to the view of this camera; the origin of screen space is then the view's corner. 0, the default,
// selects all views.
void draw_set_view(draw_o *draw, uint32_t camera);
// Clips screen-space drawing to a rectangle. A width of 0, the default, disables clipping.
void draw_set_clip(draw_o *draw, float x, float y, float width, float height);
void draw_set_layer(draw_o *draw, int32_t layer); // selects the layer (default: 0)
// If `sorted` is true, drawing is sorted by depth like an entity with the component `y_sort` whose feet are at `y`.
// Default: false.
void draw_set_depth(draw_o *draw, bool sorted, float y);
void draw_set_colour(draw_o *draw, float r, float g, float b, float a); // selects the colour (default: white)
// Selects additive blending or, by default, alpha blending.
void draw_set_blend(draw_o *draw, bool add);
// Selects the font by names of font assets, such as "a.ttf, b.ttf"; "": the engine's font.
void draw_set_font(draw_o *draw, const char *font);

// Additional attributes of text. The default is all zero: no effects.
typedef struct draw_text_style_t {
  float outline[4], outline_width, shadow[4], shadow_x, shadow_y;
  float line_spacing; // factor on the line height; 0 means 1
  int32_t hidden;     // number of the first hidden character, from 1; 0: all are visible
  // position of y: the top of the first line (0), the middle of the text (1) or the bottom of the last line (2)
  int32_t valign;
  bool markup; // true if tags in brackets are interpreted (text/markup.h)
} draw_text_style_t;
void draw_set_text_style(draw_o *draw, const draw_text_style_t *style);

void draw_line(draw_o *draw, float x1, float y1, float x2, float y2, float width);
void draw_circle(draw_o *draw, float x, float y, float radius, bool filled, float width);
// Draws a rectangle with the top left corner x, y.
void draw_rect(draw_o *draw, float x, float y, float width, float height, bool filled, float line_width);
// Draws a rectangle whose corners are rounded with `radius`.
void draw_rounded_rect(draw_o *draw, float x, float y, float width, float height, float radius, bool filled,
                       float line_width);
// Draws a polygon, which may be concave but must not intersect itself.
void draw_polygon(draw_o *draw, const float *xy, uint32_t points, bool filled, float width);
// Draws triangles with a depth buffer. Each triangle has three corners of eight floats: a position in clip space (x, y,
// z, w, from a projection matrix; the clip volume is mapped to the whole image) and a colour (r, g, b, a, 0 to 1).
// Depth is tested only within a call; the whole call is ordered by space and layer. In world space, the triangles
// appear in each view, centred and scaled to its height. Ignores the current colour, blend mode and font.
void draw_solid_triangles(draw_o *draw, const float *corners, uint32_t triangles);
// Draws UTF-8 text. `y` is the top of the first line (see draw_text_style_t); `x` is the left end, the centre or the
// right end for an `align` of 0, 1 or 2. A '\n' starts a new line. `wrap`: maximum line width; 0: unlimited.
void draw_text(draw_o *draw, const char *text, float x, float y, float size, int32_t align, float wrap);
// Sets the player's factor for text that scripts draw in screen space (components/access.h). Text grows to `max_size`
// pixels at most; larger text keeps its size.
void draw_set_text_scale(draw_o *draw, float scale, float max_size);
// Returns a text size, multiplied by the factor of draw_set_text_scale in screen space and unchanged in world space.
float draw_scale_text(const draw_o *draw, float size);
// Returns true if text that was drawn in screen space since draw_clear covers a part of the rectangle. Estimates the
// size of a text from its length. Polylines that are at most twice as long as the rectangle is high also count, because
// games may draw characters with them.
bool draw_has_text_in(const draw_o *draw, float x, float y, float width, float height);
// Draws an image with its centre, or the pivot of its sheet, at x, y. `frame`: number of a frame in the sheet, from 1;
// 0: the whole image.
void draw_image(draw_o *draw, const char *image, float x, float y, float angle, float scale_x, float scale_y,
                uint32_t frame);
// Draws a mesh of draw_get_paint, given its index. `image`: asset that replaces the mesh's texture; "": no asset.
void draw_mesh(draw_o *draw, uint32_t mesh, const char *image);
// Stretches an image to a rectangle with the top left corner x, y. The border defined by the image's sheet keeps its
// size. `frame`: number of a frame in the sheet, from 1.
void draw_nine_slice(draw_o *draw, const char *image, float x, float y, float width, float height, int32_t frame);

#endif
