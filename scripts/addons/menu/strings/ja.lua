-- Japanese names of controls.
return {
  arrows = "矢印", either = "{a}・{b}", dpad = "矢印ボタン", stick = "スティック",
  history = "{rewind} 長押し：まきもどす　　{clip}：クリップを保存", history_pad = "{rewind} 長押し：まきもどす",
}
