// Immediate-mode drawing for one frame, for render systems and widgets. Calls append to a list, which the renderer
// sorts by space, layer and call order and draws together with the components. The list is plain data, so it works
// without a window. Lua calls these functions through the FFI; text is copied.
#ifndef SHOAL_RENDER_DRAW_H
#define SHOAL_RENDER_DRAW_H

#include <stdbool.h>
#include <stdint.h>

typedef struct draw_o draw_o;
typedef struct paint_o paint_o;

draw_o *draw_create(void);
void draw_destroy(draw_o *d);
void draw_clear(draw_o *d);     // starts a frame; also resets the state below
paint_o *draw_paint(draw_o *d); // meshes drawn by plugins (paint/paint.h); lives as long as the list

// --- state of the following calls
// Resets the state to the defaults listed below. Call it before drawing, because the state persists between systems.
void draw_reset(draw_o *d);
void draw_space(draw_o *d, bool screen); // default: world
// Draws only in the view of this camera; screen space then starts at the view's corner. Default 0: all views.
void draw_view(draw_o *d, uint32_t camera);
// Clips to this rectangle; screen space only. Width 0, the default: no clipping.
void draw_clip(draw_o *d, float x, float y, float width, float height);
void draw_layer(draw_o *d, int32_t layer); // default: 0
// With `sorted`, drawing is depth-sorted (component `y_sort`) like an entity whose feet are at `y`. Default: not
// sorted.
void draw_depth(draw_o *d, bool sorted, float y);
void draw_colour(draw_o *d, float r, float g, float b, float a); // default: white
void draw_blend(draw_o *d, bool add);                            // default: alpha
void draw_font(draw_o *d, const char *font);                     // asset names "a.ttf, b.ttf"; "": the engine's font

// Further attributes of text. All zero, the default: none.
typedef struct draw_text_style_t {
  float outline[4], outline_width, shadow[4], shadow_x, shadow_y;
  float line_spacing; // factor; 0 means 1
  int32_t hidden;     // number of the first hidden character, from 1; 0: none is hidden
  int32_t valign;     // 0: y is the top of the first line; 1: the middle of the text; 2: the bottom of the last line
  bool markup;        // interprets tags in brackets (text/markup.h)
} draw_text_style_t;
void draw_text_style(draw_o *d, const draw_text_style_t *style);

void draw_line(draw_o *d, float x1, float y1, float x2, float y2, float width);
void draw_circle(draw_o *d, float x, float y, float radius, bool filled, float width);
void draw_rect(draw_o *d, float x, float y, float width, float height, bool filled, float line_width); // x, y: top left
// Draws a rectangle with round corners.
void draw_round(draw_o *d, float x, float y, float width, float height, float radius, bool filled, float line_width);
void draw_polygon(draw_o *d, const float *xy, uint32_t points, bool filled, float width); // simple; may be concave
// Draws `triangles` triangles with a depth buffer. Each has three corners of eight floats: position in clip space (x
// y z w, from a projection matrix; the clip volume maps to the whole image) and colour (0 to 1). Depth testing
// applies within one call; the call as a whole is ordered by space and layer. World-space triangles appear in each
// view, scaled to its height and centred. Ignores colour, blend mode and font.
void draw_solids(draw_o *d, const float *corners, uint32_t triangles);
// Draws UTF-8 text. y: top of the first line; x: left end, centre or right end for `align` 0, 1, 2. '\n' starts a new
// line. `wrap`: maximum line width, 0 for none.
void draw_text(draw_o *d, const char *text, float x, float y, float size, int32_t align, float wrap);
// Draws an image with its centre, or the pivot of its sheet, at x, y. `frame`: number in the sheet, from 1; 0: the
// whole image.
void draw_image(draw_o *d, const char *image, float x, float y, float angle, float scale_x, float scale_y,
                uint32_t frame);
// Draws a mesh of draw_paint by its index. `image`: asset that replaces its texture, or "".
void draw_mesh(draw_o *d, uint32_t mesh, const char *image);
// Stretches an image over a rectangle with top left x, y; the border defined by its sheet keeps its size. `frame`:
// number in the sheet, from 1.
void draw_sliced(draw_o *d, const char *image, float x, float y, float width, float height, int32_t frame);

#endif
