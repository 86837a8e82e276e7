-- Shoal's own strings shown to players, in several languages. A game can replace these strings, or add languages, in
-- its strings/: shoal = { back = "…" }.
local M = {}

-- Native names of languages.
M.names = {
  ar = "العربية", bg = "Български", ca = "Català", cs = "Čeština", da = "Dansk", de = "Deutsch", el = "Ελληνικά",
  en = "English", es = "Español", et = "Eesti", eu = "Euskara", fa = "فارسی", fi = "Suomi", fr = "Français",
  ga = "Gaeilge", gl = "Galego", he = "עברית", hi = "हिन्दी", hr = "Hrvatski", hu = "Magyar", id = "Bahasa Indonesia",
  is = "Íslenska", it = "Italiano", ja = "日本語", ko = "한국어", lt = "Lietuvių", lv = "Latviešu", nb = "Norsk bokmål",
  nl = "Nederlands", no = "Norsk", pl = "Polski", pt = "Português", pt_BR = "Português (Brasil)", ro = "Română",
  ru = "Русский", sk = "Slovenčina", sl = "Slovenščina", sr = "Српски", sv = "Svenska", th = "ไทย", tr = "Türkçe",
  uk = "Українська", vi = "Tiếng Việt", zh = "中文", zh_CN = "简体中文", zh_TW = "繁體中文",
}

M.strings = {
  en = {
    options = "Options", sound = "Sound", display = "Display", game = "Game", keys = "Keys", back = "Back",
    fullscreen = "Fullscreen", scale = "Scale", fit = "Fit", integer = "Integer", stretch = "Stretch", vsync = "Vsync",
    keyboard = "Keyboard", pad = "Pad", reset_keys = "Reset keys", page = "Page {n} of {of}", press = "press…",
    press_hint = "Press the new key or button. Escape cancels.", used_by = "{key} is used by {actions}",
    signed = "{name}{sign}", listed = "{first}, {rest}", language = "Language", master = "Master",
    music = "Music", effects = "Effects", voice = "Voice", ui = "UI",
    saved = "Saved {name}", loaded = "Loaded {name}", deleted = "Deleted {name}", exported = "Exported {name}",
    not_saved = "Not saved: the disk may be full, or the folder may be read-only",
    not_loaded = "Not loaded: the save is damaged or from another version",
    not_deleted = "Not deleted: the folder may be read-only",
    not_exported = "Not exported: the disk may be full, or the folder may be read-only",
  },
  de = {
    options = "Optionen", sound = "Ton", display = "Anzeige", game = "Spiel", keys = "Tasten", back = "Zurück",
    fullscreen = "Vollbild", scale = "Skalierung", fit = "Angepasst", integer = "Ganzzahlig", stretch = "Gestreckt",
    vsync = "Vsync", keyboard = "Tastatur", pad = "Gamepad", reset_keys = "Tasten zurücksetzen",
    page = "Seite {n} von {of}", press = "drücken…", press_hint = "Neue Taste drücken. Escape bricht ab.",
    used_by = "{key} gehört zu {actions}", language = "Sprache", master = "Gesamt", music = "Musik",
    effects = "Effekte", voice = "Stimmen", ui = "Menüs",
    saved = "{name} gespeichert", loaded = "{name} geladen", deleted = "{name} gelöscht",
    exported = "{name} exportiert",
    not_saved = "Nicht gespeichert: Der Datenträger ist voll oder der Ordner schreibgeschützt",
    not_loaded = "Nicht geladen: Der Spielstand ist beschädigt oder aus einer anderen Version",
    not_deleted = "Nicht gelöscht: Der Ordner ist schreibgeschützt",
    not_exported = "Nicht exportiert: Der Datenträger ist voll oder der Ordner schreibgeschützt",
  },
  fr = {
    options = "Options", sound = "Son", display = "Affichage", game = "Jeu", keys = "Touches", back = "Retour",
    fullscreen = "Plein écran", scale = "Échelle", fit = "Ajustée", integer = "Entière", stretch = "Étirée",
    vsync = "Vsync", keyboard = "Clavier", pad = "Manette", reset_keys = "Réinitialiser", page = "Page {n} sur {of}",
    press = "appuyez…", press_hint = "Appuyez sur la nouvelle touche. Échap annule.",
    used_by = "{key} sert à {actions}", language = "Langue", master = "Général", music = "Musique",
    effects = "Effets", voice = "Voix", ui = "Menus",
    saved = "{name} enregistré", loaded = "{name} chargé", deleted = "{name} supprimé", exported = "{name} exporté",
    not_saved = "Non enregistré : le disque est plein ou le dossier est protégé en écriture",
    not_loaded = "Non chargé : la sauvegarde est endommagée ou vient d'une autre version",
    not_deleted = "Non supprimé : le dossier est protégé en écriture",
    not_exported = "Non exporté : le disque est plein ou le dossier est protégé en écriture",
  },
  es = {
    options = "Opciones", sound = "Sonido", display = "Pantalla", game = "Juego", keys = "Teclas", back = "Volver",
    fullscreen = "Pantalla completa", scale = "Escala", fit = "Ajustada", integer = "Entera", stretch = "Estirada",
    vsync = "Vsync", keyboard = "Teclado", pad = "Mando", reset_keys = "Restablecer", page = "Página {n} de {of}",
    press = "pulsa…", press_hint = "Pulsa la nueva tecla o botón. Escape cancela.",
    used_by = "{key} ya se usa para {actions}", language = "Idioma", master = "General", music = "Música",
    effects = "Efectos", voice = "Voces", ui = "Menús",
    saved = "{name}: guardado", loaded = "{name}: cargado", deleted = "{name}: borrado", exported = "{name}: exportado",
    not_saved = "No se ha guardado: el disco está lleno o la carpeta es de solo lectura",
    not_loaded = "No se ha cargado: la partida está dañada o es de otra versión",
    not_deleted = "No se ha borrado: la carpeta es de solo lectura",
    not_exported = "No se ha exportado: el disco está lleno o la carpeta es de solo lectura",
  },
  ja = {
    options = "オプション", sound = "サウンド", display = "画面", game = "ゲーム", keys = "操作", back = "もどる",
    fullscreen = "フルスクリーン", scale = "拡大方法", fit = "画面に合わせる", integer = "整数倍", stretch = "引き伸ばす",
    vsync = "垂直同期", keyboard = "キーボード", pad = "パッド", reset_keys = "初期設定に戻す",
    page = "{n} / {of} ページ", press = "入力待ち…", press_hint = "新しいキーかボタンを押してください。Escapeで中止。",
    used_by = "{key}は{actions}で使用中です", listed = "{first}、{rest}", language = "言語",
    master = "全体音量", music = "音楽", effects = "効果音", voice = "ボイス", ui = "メニュー音",
    saved = "{name}を保存しました", loaded = "{name}を読み込みました", deleted = "{name}を削除しました",
    exported = "{name}を書き出しました",
    not_saved = "保存できません：ディスクがいっぱいか、フォルダーに書き込めません",
    not_loaded = "読み込めません：データが壊れているか、別のバージョンのものです",
    not_deleted = "削除できません：フォルダーに書き込めません",
    not_exported = "書き出せません：ディスクがいっぱいか、フォルダーに書き込めません",
  },
}

return M
