-- The Japanese strings. Their characters are in assets/japanese.otf; run assets/source/font.sh after adding new ones.
return {
  title = {
    press = "{key} でスタート",
    keys = "{walk}：歩く　　{strike}：剣・話す",
    more_keys = "{cast}：火の玉　　{pause}：ポーズ",
    best = "ベストタイム {time}",
    demo = "デモ中：{key} でタイトルへ",
  },
  dead = { title = "灯が消えた……", again = "だが、まだ残り火がある：{key}" },
  won = { title = "光は帰ってきた。", time = "タイム {time}", best = "ベストタイム {time}" },
  menu = {
    new_game = "はじめから", load_game = "つづきから", options = "オプション", quit = "おわる",
    paused = "ポーズ", resume = "ゲームにもどる", save_or_load = "セーブ・ロード", to_title = "タイトルへ",
    saved_games = "セーブデータ", slot = "スロット", save = "セーブ", load = "ロード", delete = "消す", back = "もどる",
    empty = "記録なし", no_picture = "まだ何もない", damaged = "ロードできません", really = "本当に？",
  },
  rooms = { yard = "教会の墓地", hall = "地下墓地", ossuary = "納骨堂", cistern = "貯水槽", throne = "灯消しの広間" },
  keeper = {
    name = "灯守り",
    opening = {
      "灯が消えてしまった。百年のあいだ、燃えつづけていたのに。",
      "地下墓地から「灯消し」が這い上がり、炎を奪っていったのだ。",
      "わしのランタンと剣を持ってお行き。どうか炎を取りもどしておくれ。",
    },
    crypt = "地下墓地は礼拝堂の下だ。その東の奥に、残り火が眠っている。",
    fire = "火は火を呼びさます。地下墓地の火鉢をためしてごらん。",
    thanks = "燃えている！よくぞ光を取りもどしてくれた。",
  },
  snuffer = { name = "灯消し", who = "わが広間に光を持ちこむのは、何者だ？", put_out = "その灯、消してくれよう！" },
  found = {
    ember = "残り火を見つけた！{key} で火の玉を放てる。冷えた火鉢が、この火を待っている。",
    key = "ずっしりとした真鍮の鍵。煙のにおいがする。",
    flame = "炎は解き放たれた。",
    locked = "鍵がかかっている。むこうで、何かが息をしている。",
  },
  prompts = { talk = "{key}：話す", open = "{key}：あける" },
  actions = {
    go_x = { negative = "左に歩く", positive = "右に歩く", axis = "左右に歩く" },
    go_y = { negative = "上に歩く", positive = "下に歩く", axis = "上下に歩く" },
    strike = "剣・話す", cast = "火の玉を放つ", pause = { pause = "メニュー" },
  },
}
