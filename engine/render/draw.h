// Immediate drawing for one frame: scripts in the render phase, widgets. Calls append to a list that the
// renderer sorts by (space, layer, order of calls) and draws together with the columns. Works without a window: the
// list is plain data. Functions are called from Lua through the FFI: numbers, and text that is copied.
#ifndef SHOAL_RENDER_DRAW_H
#define SHOAL_RENDER_DRAW_H

#include <stdbool.h>
#include <stdint.h>

typedef struct draw_o draw_o;
typedef struct paint_o paint_o;

draw_o *draw_create(void);
void draw_destroy(draw_o *d);
void draw_clear(draw_o *d);     // start of a frame; also resets the state below
paint_o *draw_paint(draw_o *d); // what plugins draw with triangles (paint/paint.h); as long as the list

// State for the calls that follow.
// The pen as a frame begins with it: the defaults of all that follows. Whoever begins to draw does so first, for what
// the one before has set is still there.
void draw_reset(draw_o *d);
void draw_space(draw_o *d, bool screen); // default: world
// In the view of this camera alone, in screen space from its corner. Default 0: in all of them.
void draw_view(draw_o *d, uint32_t camera);
// Nothing of it outside of this rectangle of the screen (screen space alone). Width 0, the default: all is drawn.
void draw_clip(draw_o *d, float x, float y, float width, float height);
void draw_layer(draw_o *d, int32_t layer); // default: 0
// Among what has a depth (y_sort) it lies as deep as an entity whose feet are at y; false, the default: as one without.
void draw_depth(draw_o *d, bool sorted, float y);
void draw_colour(draw_o *d, float r, float g, float b, float a); // default: white
void draw_blend(draw_o *d, bool add);                            // default: alpha
void draw_font(draw_o *d, const char *font);                     // assets, "a.ttf, b.ttf"; "" is the engine's font

// More of how texts look. Zeros: none of it, as at the start of a frame.
typedef struct draw_text_style_t {
  float outline[4], outline_width, shadow[4], shadow_x, shadow_y;
  float line_spacing; // 0: 1
  int32_t hidden;     // 0: all characters are shown; else those before this one, which counts from 1
  int32_t valign;     // y is the top of the first line, the middle of all, the bottom of the last
  bool markup;        // tags in brackets (text/markup.h)
} draw_text_style_t;
void draw_text_style(draw_o *d, const draw_text_style_t *style);

void draw_line(draw_o *d, float x1, float y1, float x2, float y2, float width);
void draw_circle(draw_o *d, float x, float y, float radius, bool filled, float width);
void draw_rect(draw_o *d, float x, float y, float width, float height, bool filled, float line_width); // x, y: top left
// The same with round corners.
void draw_round(draw_o *d, float x, float y, float width, float height, float radius, bool filled, float line_width);
void draw_polygon(draw_o *d, const float *xy, uint32_t points, bool filled, float width); // simple; may be concave
// `triangles` triangles with depth: eight numbers a corner, its place in clip space (x y z w, as a projection matrix
// gives it; the clip box is the whole picture) and its colour (0 … 1), three corners a triangle. Within one call what
// is nearer hides what is farther; the call as a whole has its place by space and layer. In world space they are in
// each view, around its middle and as large as it is high. Colour, blend and font do not count.
void draw_solids(draw_o *d, const float *corners, uint32_t triangles);
// y: top of the first line; x: its left end, middle or right end for align 0, 1, 2. UTF-8; '\n' starts a line. wrap 0:
// none.
void draw_text(draw_o *d, const char *text, float x, float y, float size, int32_t align, float wrap);
// x, y: the centre, or the pivot of the image's sheet. frame: of that sheet, from 1; 0 for the whole image.
void draw_image(draw_o *d, const char *image, float x, float y, float angle, float scale_x, float scale_y,
                uint32_t frame);
// A mesh of draw_paint, by its number. `image`: an asset in the place of its texture, or "".
void draw_mesh(draw_o *d, uint32_t mesh, const char *image);
// Over a whole rectangle, x, y its top left: the border of the image's sheet keeps its size. frame: from 1.
void draw_sliced(draw_o *d, const char *image, float x, float y, float width, float height, int32_t frame);

#endif
