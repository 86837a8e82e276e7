#version 330 core
// Applies the light of the picture. If `weight` is 0, the result is multiplied with the picture and then doubled, so that
// light up to 2 fits into colours that are limited to 1. Otherwise the result is the glow of the lights, which is added to
// the picture.
uniform sampler2D image;
uniform vec2 corner;
uniform vec2 texel;
uniform vec4 ambient;
uniform float weight;
out vec4 result;
void main() {
  vec4 light = texture(image, (gl_FragCoord.xy - corner) * texel);
  if (weight > 0.0) {
    vec3 of_lights = max(light.rgb - ambient.rgb, vec3(0.0));
    float most = max(of_lights.r, max(of_lights.g, of_lights.b));
    result = vec4(of_lights * light.a / max(most, 1e-4), 0.0);
  } else {
    result = vec4(light.rgb * 0.5, 1.0);
  }
}
