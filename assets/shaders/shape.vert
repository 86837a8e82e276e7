#version 330 core
// The corners of a shape: gl_VertexID 0 to 3 form a triangle strip. See frame.h for the contents of a, b and c.
layout(location = 0) in vec4 a;
layout(location = 1) in vec4 b;
layout(location = 2) in vec4 c;
layout(location = 3) in vec4 colour;
layout(location = 4) in float kind;
uniform vec2 to_clip;
flat out vec4 v_box;
flat out vec4 v_cut;
flat out vec4 v_colour;
flat out float v_soft; // width in pixels over which the edge fades inwards, 0 for a sharp edge
out vec3 v_p;
void main() {
  int id = gl_VertexID;
  vec2 corner = vec2(float(id & 1), float(id >> 1)) * 2.0 - 1.0;
  vec2 p = corner * (b.xy + vec2(b.z + max(b.w, 0.0) + 1.0));
  vec2 at = a.xy + a.zw * p.x + vec2(-a.w, a.z) * p.y;
  v_box = b;
  v_cut = c;
  v_p = vec3(p, 1.0);
  if (kind > 0.5) {
    at = id == 0 ? a.xy : id == 1 ? a.zw : id == 2 ? b.xy : b.zw;
    v_box = vec4(1e4, 1e4, 0.0, -1.0);
    v_cut = vec4(0.0);
    v_p = vec3(0.0, 0.0, id == 0 ? c.x : id == 1 ? c.y : id == 2 ? c.z : c.w);
  }
  v_soft = kind < 0.0 ? max(-kind * b.z, 1.0) : 0.0;
  v_colour = colour;
  gl_Position = vec4(at * to_clip + vec2(-1.0, 1.0), 0.0, 1.0);
}
