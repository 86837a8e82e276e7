#version 330 core
// shape.vert for discs, each drawn as one point.
layout(location = 0) in vec4 a;
layout(location = 1) in vec4 b;
layout(location = 3) in vec4 colour;
layout(location = 4) in float kind;
uniform vec2 to_clip;
uniform float margin; // as in point.vert
flat out vec4 v_colour;
flat out vec2 v_disc; // radius; width in pixels over which the edge fades inwards, 0 for a sharp edge
void main() {
  v_disc = vec2(b.z, kind < 0.0 ? max(-kind * b.z, 1.0) : 0.0);
  v_colour = colour;
  gl_PointSize = 2.0 * b.z + 2.0;
  gl_Position = vec4((a.xy + margin) * to_clip + vec2(-1.0, 1.0), 0.0, 1.0);
}
