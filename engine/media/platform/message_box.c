// Draws a message box into the surface of an SDL window, with a built-in font. SDL's own message box requires X server
// fonts that many systems lack, and the game's font may be damaged.
#include "platform/message_box.h"

#include "base/assert.h"
#include "platform/sdl.h"

#include <string.h>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wconversion"
#include <stb/stb_easy_font.h>
#pragma GCC diagnostic pop

#define SCALE 2 // number of window pixels per pixel of the font
#define WIDTH 680
#define MARGIN 36
#define LINE (14 * SCALE)
#define MAX_LINES 16u
#define MAX_LINE_BYTES 128u // size of a line in bytes, including '\0'
#define BUTTON_WIDTH 120
#define BUTTON_HEIGHT 44

typedef struct box_t {
  char lines[MAX_LINES][MAX_LINE_BYTES];
  uint32_t line_count;
  int height;
  SDL_Rect button;
  bool pressed;
} box_t;

// Converts the first character of `text` to ASCII, because the font contains no other characters. An unknown character
// becomes '?'. Returns the length of the character in bytes.
static size_t convert_to_ascii_character(const char *text, char *out) {
  static const struct {
    const char *utf8;
    char ascii;
  } REPLACEMENTS[] = {{"“", '"'}, {"”", '"'}, {"‘", '\''}, {"’", '\''}, {"–", '-'}, {"—", '-'}, {"×", 'x'}, {"…", '.'}};
  for (size_t i = 0; i < sizeof REPLACEMENTS / sizeof *REPLACEMENTS; ++i)
    if (strncmp(text, REPLACEMENTS[i].utf8, strlen(REPLACEMENTS[i].utf8)) == 0) {
      *out = REPLACEMENTS[i].ascii;
      return strlen(REPLACEMENTS[i].utf8);
    }
  size_t bytes = 1;
  while (((unsigned char)text[bytes] & 0xc0) == 0x80)
    ++bytes;
  *out = *text >= ' ' && *text < 127 ? *text : '?';
  return bytes;
}

static int text_width(char *text) {
  return stb_easy_font_width(text) * SCALE;
}

// Breaks lines at spaces, and breaks words that are longer than a line, such as paths. Text after MAX_LINES lines is
// dropped.
static void break_lines(box_t *box, const char *text) {
  box->line_count = 1;
  for (uint32_t length = 0, space = 0; *text && box->line_count <= MAX_LINES;) {
    char *line = box->lines[box->line_count - 1];
    bool is_newline = *text == '\n';
    if (is_newline) {
      ++text;
    } else {
      text += convert_to_ascii_character(text, &line[length]);
      space = line[length] == ' ' ? length : space;
      ++length;
    }
    bool is_full = length + 1 == MAX_LINE_BYTES || text_width(line) > WIDTH - 2 * MARGIN;
    if (!is_newline && !is_full)
      continue;
    if (box->line_count == MAX_LINES)
      return;
    uint32_t line_end = is_newline ? length : space > 0 ? space : length - 1;
    uint32_t next_start = !is_newline && space > 0 ? line_end + 1 : line_end;
    memcpy(box->lines[box->line_count++], line + next_start, length - next_start);
    memset(line + line_end, 0, MAX_LINE_BYTES - line_end);
    length -= next_start;
    space = 0;
  }
}

static void draw_text(SDL_Surface *surface, char *text, int x, int y, uint32_t colour) {
  struct {
    float x, y, z;
    uint32_t colour;
  } corners[MAX_LINE_BYTES * 4 * 16]; // four corners for each rectangle
  int quads = stb_easy_font_print(0, 0, text, NULL, corners, sizeof corners);
  for (int i = 0; i < quads; ++i) {
    int left = (int)corners[4 * i].x, top = (int)corners[4 * i].y;
    int right = (int)corners[4 * i + 2].x, bottom = (int)corners[4 * i + 2].y;
    SDL_Rect r = {x + left * SCALE, y + top * SCALE, (right - left) * SCALE, (bottom - top) * SCALE};
    sdl()->FillRect(surface, &r, colour);
  }
}

static void draw_box(SDL_Window *window, box_t *box) {
  SDL_Surface *surface = sdl()->GetWindowSurface(window);
  if (!surface)
    return;
  char label[] = "OK";
  sdl()->FillRect(surface, NULL, sdl()->MapRGB(surface->format, 24, 26, 34));
  for (uint32_t i = 0; i < box->line_count; ++i)
    draw_text(surface, box->lines[i], MARGIN, MARGIN + (int)i * LINE, sdl()->MapRGB(surface->format, 232, 234, 240));
  sdl()->FillRect(surface, &box->button,
                  box->pressed ? sdl()->MapRGB(surface->format, 58, 96, 170)
                               : sdl()->MapRGB(surface->format, 74, 122, 214));
  draw_text(surface, label, box->button.x + (BUTTON_WIDTH - text_width(label)) / 2,
            box->button.y + BUTTON_HEIGHT / 2 - 4 * SCALE, sdl()->MapRGB(surface->format, 255, 255, 255));
  sdl()->UpdateWindowSurface(window);
}

static bool is_on_button(const box_t *b, const SDL_MouseButtonEvent *click) {
  SDL_Point p = {click->x, click->y};
  return SDL_PointInRect(&p, &b->button);
}

// Returns true if the event dismisses the box: a click on the button, Return, Enter, Escape, Space, or closing the
// window.
static bool handle_event(box_t *b, const SDL_Event *e) {
  SDL_Keycode key = e->type == SDL_KEYDOWN ? e->key.keysym.sym : 0;
  if (e->type == SDL_MOUSEBUTTONDOWN)
    b->pressed = is_on_button(b, &e->button);
  bool clicked = e->type == SDL_MOUSEBUTTONUP && b->pressed && is_on_button(b, &e->button);
  bool closed = e->type == SDL_QUIT || (e->type == SDL_WINDOWEVENT && e->window.event == SDL_WINDOWEVENT_CLOSE);
  return clicked || closed || key == SDLK_RETURN || key == SDLK_KP_ENTER || key == SDLK_ESCAPE || key == SDLK_SPACE;
}

static bool has_display(void) {
  const char *driver = sdl()->GetCurrentVideoDriver();
  return driver && strcmp(driver, "dummy") != 0 && strcmp(driver, "offscreen") != 0;
}

bool message_box_show(const char *title, const char *text) {
  shoal_assert(title && text, "title and text must not be NULL");
  if (sdl()->InitSubSystem(SDL_INIT_VIDEO) != 0)
    return false;
  box_t box = {.line_count = 0};
  break_lines(&box, text);
  box.height = 2 * MARGIN + (int)box.line_count * LINE + BUTTON_HEIGHT + LINE;
  box.button =
      (SDL_Rect){WIDTH - MARGIN - BUTTON_WIDTH, box.height - MARGIN / 2 - BUTTON_HEIGHT, BUTTON_WIDTH, BUTTON_HEIGHT};
  SDL_Window *window = has_display() ? sdl()->CreateWindow(title, SDL_WINDOWPOS_CENTERED, SDL_WINDOWPOS_CENTERED, WIDTH,
                                                           box.height, SDL_WINDOW_SHOWN)
                                     : NULL;
  SDL_Event e;
  for (bool dismissed = !window; !dismissed;) {
    draw_box(window, &box);
    if (!sdl()->WaitEvent(&e))
      break;
    dismissed = handle_event(&box, &e);
  }
  bool was_shown = window != NULL;
  sdl()->DestroyWindow(window);
  sdl()->QuitSubSystem(SDL_INIT_VIDEO);
  return was_shown;
}
