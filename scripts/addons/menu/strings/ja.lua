-- Japanese names of controls, and strings that games share.
return {
  arrows = "矢印", either = "{a}・{b}", dpad = "矢印ボタン", stick = "スティック",
  history = "{rewind} 長押し：まきもどす　　{clip}：クリップを保存", history_pad = "{rewind} 長押し：まきもどす",
  play = "はじめる", play_again = "もう一度", start_again = "最初から", one_player = "1人で遊ぶ", two_players = "2人で遊ぶ",
  players = "プレイヤー：{n}", options = "オプション", quit = "おわる", quit_to_title = "タイトルへ", paused = "ポーズ", resume = "つづける",
  press_to_play = "{key} でスタート", score = "スコア {n}", best = "ベスト {n}", best_so_far = "ベスト：{n}", new_best = "新記録！",
  new_best_of = "新記録：{n}", game_over = "ゲームオーバー", you = "あなた", player = "プレイヤー{n}",
}
