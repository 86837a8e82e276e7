#version 330 core
flat in vec4 v_colour;
flat in vec2 v_disc;
out vec4 result;
void main() {
  float d = length((gl_PointCoord * 2.0 - 1.0) * (v_disc.x + 1.0)) - v_disc.x;
  float inside = clamp(-d / max(v_disc.y, 1.0), 0.0, 1.0);
  float cover = v_disc.y > 0.0 ? inside * inside * (3.0 - 2.0 * inside) : clamp(0.5 - d, 0.0, 1.0);
  result = v_colour * cover;
}
