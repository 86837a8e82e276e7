// Lua function that measures drawn text.
#include "bindings/bind.h"

#include "script/vm.h"

// text_size(text, size, font, wrap, markup, line_spacing) → width, height; both are 0 if the VM has no renderer
static int measure_text(lua_State *L) {
  vm_o *vm = vm_of(L);
  float width = 0, height = 0;
  const char *text = luaL_checkstring(L, 1);
  const text_style_t style = {.font = luaL_checkstring(L, 3),
                              .size = (float)luaL_checknumber(L, 2),
                              .wrap = (float)luaL_checknumber(L, 4),
                              .line_spacing = (float)luaL_checknumber(L, 6),
                              .markup = lua_toboolean(L, 5)};
  if (vm->desc.render)
    render_measure_text(vm->desc.render, &style, text, &width, &height);
  lua_pushnumber(L, width);
  lua_pushnumber(L, height);
  return 2;
}

void bind_draw(lua_State *L) {
  static const luaL_Reg list[] = {
      {"text_size", measure_text},
      {NULL, NULL},
  };
  bind_functions(L, list, NULL);
}
