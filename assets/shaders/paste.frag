#version 330 core
// Copies a picture of the same size, one texel per pixel.
uniform sampler2D image;
uniform vec2 corner;
out vec4 result;
void main() {
  result = texelFetch(image, ivec2(gl_FragCoord.xy - corner), 0);
}
