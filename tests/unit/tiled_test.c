// Table of Tiled's map format: for each item of its documentation, the result in Shoal (engine/docs/levels.md). Each
// row reads a small map in which only that item differs, as JSON and as XML. Both must give the same map and the same
// warnings. A description of the map must contain the text `expected`.
#include "tiles/map.h"
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A file in the source of a map. In JSON, ' stands for ".
typedef struct file_t {
  const char *name, *text;
  size_t bytes; // 0: the length of `text`
} file_t;

typedef struct fixture_t {
  allocator_t memory;
  error_info_t error;
  const char *name, *text; // the map's own file
  map_t *map;
  char description[8192];
} fixture_t;

static const char png_header[] = "\x89PNG\r\n\x1A\n\0\0\0\rIHDR\0\0\0\x20\0\0\0\x30\x08\6\0\0\0";

#define DOCTYPE(root_) "<!DOCTYPE " root_ " SYSTEM \"http://mapeditor.org/dtd/1.0/map.dtd\">\n"

static const file_t files[] = {
    {"plain.png", png_header, sizeof png_header - 1},
    {"set.tsj",
     "{'name':'s','tilewidth':8,'tileheight':8,'tilecount':2,'columns':2,'image':'s.png','tiles':[{'id':1,"
     "'type':'gem','properties':[{'name':'worth','type':'int','value':7},{'name':'hp','type':'int',"
     "'value':1}]}]}",
     0},
    {"set.tsx",
     "<tileset name='s' tilewidth='8' tileheight='8' tilecount='2' columns='2'><image source='s.png' width='16' "
     "height='8'/><tile id='1' type='gem'><properties><property name='worth' type='int' value='7'/><property name='hp' "
     "type='int' value='1'/></properties></tile></tileset>",
     0},
    {"crate.tj",
     "{'type':'template','tileset':{'firstgid':1,'source':'set.tsj'},'object':{'name':'crate','gid':2,"
     "'width':8,'height':8,'properties':[{'name':'hp','type':'int','value':3},{'name':'key','value':'a'}]}}",
     0},
    {"crate.tx",
     "<template><tileset firstgid='1' source='set.tsx'/><object name='crate' gid='2' width='8' height='8'>"
     "<properties><property name='hp' type='int' value='3'/><property name='key' value='a'/></properties>"
     "</object></template>",
     0},
    {"dtd.tsx",
     DOCTYPE("tileset") "<tileset name='s' tilewidth='8' tileheight='8' tilecount='2' columns='2'><image "
                        "source='s.png' width='16' height='8'/></tileset>",
     0},
    {"dtd.tx",
     DOCTYPE("template") "<template><tileset firstgid='1' source='dtd.tsx'/><object name='mine' gid='2' width='16' "
                         "height='16'/></template>",
     0},
    {"rat.tj", "{'object':{'type':'rat','width':4,'height':6}}", 0},
    {"rat.tx", "<template><object type='rat' width='4' height='6'/></template>", 0},
};

typedef struct row_t {
  const char *item, *json, *xml, *expected;
  const char *warnings[2]; // warnings without the name of the file
} row_t;

#define J_HEAD "{'width':2,'height':1,'tilewidth':16,'tileheight':16"
#define X_HEAD "<map width='2' height='1' tilewidth='16' tileheight='16'"
#define J_SET "'firstgid':1,'name':'t','tilewidth':16,'tileheight':16,'columns':2,'image':'t.png'"
#define X_SET "<tileset firstgid='1' name='t' tilewidth='16' tileheight='16' columns='2'"
#define X_IMAGE "<image source='t.png' width='32' height='32'/>"
// Attributes of the map; attributes of the tileset (with its elements in XML); layers.
#define J(map, set, layers) J_HEAD map ",'tilesets':[{" J_SET ",'tilecount':4" set "}],'layers':[" layers "]}"
#define X(map, set, elements, layers)                                                                                  \
  X_HEAD map ">" X_SET " tilecount='4'" set ">" X_IMAGE elements "</tileset>" layers "</map>"
// A tile layer of two cells.
#define J_CELLS(more) "{'type':'tilelayer','name':'a','width':2,'height':1" more "}"
#define X_CELLS(attributes, data) "<layer name='a' width='2' height='1'" attributes ">" data "</layer>"
#define J_DATA ",'data':[1,2]"
#define X_DATA "<data encoding='csv'>1,2</data>"
// One row about attributes of the map, of the tileset, of a layer, of an object.
#define MAP_ROW(item, json, xml, expected, ...)                                                                        \
  {                                                                                                                    \
    item, J(json, "", J_CELLS(J_DATA)), X(xml, "", "", X_CELLS("", X_DATA)), expected, {                               \
      __VA_ARGS__                                                                                                      \
    }                                                                                                                  \
  }
#define SET_ROW(item, json, xml, elements, expected, ...)                                                              \
  {                                                                                                                    \
    item, J("", json, J_CELLS(J_DATA)), X("", xml, elements, X_CELLS("", X_DATA)), expected, {                         \
      __VA_ARGS__                                                                                                      \
    }                                                                                                                  \
  }
#define LAYER_ROW(item, json, xml, expected, ...)                                                                      \
  {                                                                                                                    \
    item, J("", "", J_CELLS(J_DATA json)), X("", "", "", X_CELLS(xml, X_DATA)), expected, {                            \
      __VA_ARGS__                                                                                                      \
    }                                                                                                                  \
  }
#define DATA_ROW(item, json, xml)                                                                                      \
  {                                                                                                                    \
    item, J("", "", J_CELLS(json)), X("", "", "", X_CELLS("", xml)), "cells 1 2", {                                    \
      NULL                                                                                                             \
    }                                                                                                                  \
  }
#define OBJECT_ROW(item, json, xml, elements, expected, ...)                                                           \
  {                                                                                                                    \
    item, J("", "", "{'type':'objectgroup','name':'o','objects':[{'id':1" json "}]}"),                                 \
        X("", "", "", "<objectgroup name='o'><object id='1'" xml ">" elements "</object></objectgroup>"), expected, {  \
      __VA_ARGS__                                                                                                      \
    }                                                                                                                  \
  }
#define PROPERTY_ROW(item, json, xml, expected, ...)                                                                   \
  OBJECT_ROW(item, ",'name':'a','point':true,'properties':[" json "]", " name='a'",                                    \
             "<point/><properties>" xml "</properties>", expected, __VA_ARGS__)

#define GZIP_CELLS "H4sIAAAAAAACA2NkYGBgAmIAfBeBAwgAAAA="
#define ZSTD_CELLS "KLUv/SAIQQAAAQAAAAIAAAA="

static const row_t rows[] = {
    // --- maps
    MAP_ROW("size", "", "", "map 16x16 area 0,0,32,16"),
    MAP_ROW("backgroundcolor", ",'backgroundcolor':'#336699'", " backgroundcolor='#336699'",
            "background 0.2,0.4,0.6,1"),
    MAP_ROW("parallax origin", ",'parallaxoriginx':5,'parallaxoriginy':-6", " parallaxoriginx='5' parallaxoriginy='-6'",
            "origin 5,-6"),
    MAP_ROW("renderorder", ",'renderorder':'left-up'", " renderorder='left-up'", "right to left, bottom to top", NULL),
    MAP_ROW("unknown renderorder", ",'renderorder':'spiral'", " renderorder='spiral'", "cells 1 2",
            "skipped renderorder \"spiral\": use one of right-down, left-down, right-up, left-up"),
    MAP_ROW("invalid backgroundcolor", ",'backgroundcolor':'#12'", " backgroundcolor='#12'", "background 0,0,0,0",
            "skipped backgroundcolor \"#12\": use #rrggbb or #aarrggbb"),
    MAP_ROW("class, version and editor settings",
            ",'type':'map','version':'1.10','tiledversion':'1.11.0','class':'Cave','nextlayerid':2,'nextobjectid':1,"
            "'compressionlevel':-1,'editorsettings':{'export':{'target':'a'}}",
            " version='1.10' tiledversion='1.11.0' class='Cave' nextlayerid='2' nextobjectid='1' compressionlevel='-1'",
            "cells 1 2"),
    // --- tilesets
    SET_ROW("margin and spacing", ",'margin':1,'spacing':2", " margin='1' spacing='2'", "", "tile 4 t.png 19,19 16x16"),
    {"transparent colour",
     J("", ",'transparentcolor':'#ff00ff'", J_CELLS(J_DATA)),
     X_HEAD ">" X_SET " tilecount='4'><image source='t.png' trans='ff00ff' width='32' height='32'/></tileset>" //
     X_CELLS("", X_DATA) "</map>",
     "tile 4 t.png|ff00ff",
     {NULL}},
    SET_ROW("tileoffset", ",'tileoffset':{'x':3,'y':-4}", "", "<tileoffset x='3' y='-4'/>",
            "tile 1 t.png 0,0 16x16 offset 3,-4"),
    SET_ROW("properties of a tileset", ",'properties':[{'name':'solid','type':'bool','value':true}]", "",
            "<properties><property name='solid' type='bool' value='true'/></properties>", "offset 0,0 solid"),
    SET_ROW("properties of a tile", ",'tiles':[{'id':1,'properties':[{'name':'solid','type':'bool','value':true}]}]",
            "", "<tile id='1'><properties><property name='solid' type='bool' value='true'/></properties></tile>",
            "tile 2 t.png 16,0 16x16 offset 0,0 solid"),
    SET_ROW("animation", ",'tiles':[{'id':0,'animation':[{'tileid':2,'duration':50},{'tileid':3,'duration':60}]}]", "",
            "<tile id='0'><animation><frame tileid='2' duration='50'/><frame tileid='3' duration='60'/></animation>"
            "</tile>",
            "tile 1 t.png 0,0 16x16 offset 0,0 frames 3:50 4:60"),
    SET_ROW("invalid animation", ",'tiles':[{'id':0,'animation':[{'tileid':9,'duration':50}]}]", "",
            "<tile id='0'><animation><frame tileid='9' duration='50'/></animation></tile>", "cells 1 2",
            "tileset 1 \"t\": skipped the animation of tile 0: \"tileid\" must be an integer from 0 to 3, got 9"),
    SET_ROW("collision shapes", ",'tiles':[{'id':0,'objectgroup':{'objects':[{'id':1,'x':2}]}}]", "",
            "<tile id='0'><objectgroup><object id='1' x='2'/></objectgroup></tile>", "cells 1 2",
            "tileset 1 \"t\": skipped collision shapes of its tiles: a tile can have up to 16 rectangles"),
    SET_ROW("rectangles on tiles",
            ",'tiles':[{'id':1,'objectgroup':{'objects':[{'id':1,'x':0,'y':8,'width':16,'height':8}]}}]", "",
            "<tile id='1'><objectgroup><object id='1' x='0' y='8' width='16' height='8'/></objectgroup></tile>",
            "tile 2 t.png 16,0 16x16 offset 0,0 solid part 0,0.5 to 1,1"),
    SET_ROW("tilerendersize", ",'tilerendersize':'grid'", " tilerendersize='grid'", "", "cells 1 2",
            "tileset 1 \"t\": skipped tilerendersize: its tiles are drawn in their own size"),
    SET_ROW("fillmode", ",'fillmode':'preserve-aspect-fit'", " fillmode='preserve-aspect-fit'", "", "cells 1 2",
            "tileset 1 \"t\": skipped fillmode: the images of its tile objects are stretched to the objects' size"),
    SET_ROW(
        "unknown objectalignment", ",'objectalignment':'middle'", " objectalignment='middle'", "", "cells 1 2",
        "tileset 1 \"t\": skipped objectalignment \"middle\": use one of unspecified, topleft, top, topright, left, "),
    SET_ROW("grid, terrains, Wang sets, transformations and probability",
            ",'grid':{'width':8},'wangsets':[{'name':'w'}],'transformations':{'hflip':true},'class':'T','terrains':[],"
            "'tiles':[{'id':0,'probability':0.5}]",
            " class='T'",
            "<grid orientation='orthogonal' width='8' height='8'/><transformations hflip='1'/><wangsets><wangset "
            "name='w' tile='-1'><wangcolor name='' color='#ff0000' tile='-1' probability='1'/><wangtile tileid='0' "
            "wangid='0,1,0,1'/></wangset></wangsets><tile id='0' probability='0.5'/>",
            "cells 1 2"),
    {"tileset without tilecount and columns",
     J_HEAD ",'tilesets':[{'firstgid':1,'name':'t','tilewidth':16,'tileheight':16,'image':'plain.png'}],'layers':[" //
     J_CELLS(J_DATA) "]}",
     X_HEAD "><tileset firstgid='1' name='t' tilewidth='16' tileheight='16'><image source='plain.png'/></tileset>" //
     X_CELLS("", X_DATA) "</map>",
     "tile 6 plain.png 16,32",
     {NULL}},
    {"image collection",
     J_HEAD ",'tilesets':[{'firstgid':1,'name':'t','tilewidth':9,'tileheight':9,'tilecount':1,'tiles':[{'id':4,"
            "'image':'b.png','imagewidth':20,'imageheight':30,'x':2,'y':3,'width':8,'height':9}]}],'layers':[]}",
     X_HEAD "><tileset firstgid='1' name='t' tilewidth='9' tileheight='9' tilecount='1'><tile id='4' x='2' y='3' "
            "width='8' height='9'><image source='b.png' width='20' height='30'/></tile></tileset></map>",
     "tile 5 b.png 2,3 8x9",
     {NULL}},
    {"image inside of the file",
     NULL,
     X_HEAD ">" X_SET " tilecount='4'><image format='png'><data encoding='base64'>AAAA</data></image></tileset>" //
     X_CELLS("", X_DATA) "</map>",
     "tile 4 none",
     {"tileset 1 \"t\": skipped the image: images inside of the file are not supported: use an image file"}},
    {"image outside of assets/",
     J("", ",'image':'../t.png'", J_CELLS(J_DATA)),
     X_HEAD ">" X_SET " tilecount='4'><image source='../t.png' width='32' height='32'/></tileset>" //
     X_CELLS("", X_DATA) "</map>",
     "cells 1 2",
     {"tileset 1 \"t\": skipped the image: \"../t.png\" is outside assets/: use a path inside assets/"}},
    {"tileset in a file",
     J_HEAD ",'tilesets':[{'firstgid':1,'source':'set.tsj'}],'layers':[" J_CELLS(J_DATA) "]}",
     X_HEAD "><tileset firstgid='1' source='set.tsx'/>" X_CELLS("", X_DATA) "</map>",
     "tile 2 s.png 8,0 8x8",
     {NULL}},
    {"missing tileset",
     J_HEAD ",'tilesets':[{'firstgid':1,'source':'no'}],'layers':[" J_CELLS(",'data':[0,0]") "]}",
     X_HEAD "><tileset firstgid='1' source='no'/>" X_CELLS("", "<data encoding='csv'>0,0</data>") "</map>",
     "cells 0 0",
     {"tileset 1: skipped the tileset: no: not found"}},
    {"tileset that has grown since the map was saved",
     J_HEAD ",'tilesets':[{'firstgid':1,'source':'set.tsj'},{'firstgid':2,'source':'set.tsj'}],'layers':[]}",
     X_HEAD "><tileset firstgid='1' source='set.tsx'/><tileset firstgid='2' source='set.tsx'/></map>",
     "tile 2 s.png 0,0",
     {"tileset 1 \"s\": skipped the tiles from 1: their numbers belong to the next tileset: save the map in Tiled "
      "again"}},
    // --- cells
    DATA_ROW("cells as elements", J_DATA, "<data><tile gid='1'/><tile gid='2'/></data>"),
    DATA_ROW("csv", J_DATA, "<data encoding='csv'>\n1,\n2\n</data>"),
    DATA_ROW("base64", ",'encoding':'base64','data':'AQAAAAIAAAA='",
             "<data encoding='base64'>\n   AQAAAAIAAAA=\n  </data>"),
    DATA_ROW("base64, zlib", ",'encoding':'base64','compression':'zlib','data':'eJxjZGBgYAJiAAAYAAQ='",
             "<data encoding='base64' compression='zlib'>eJxjZGBgYAJiAAAYAAQ=</data>"),
    DATA_ROW("base64, gzip", ",'encoding':'base64','compression':'gzip','data':'" GZIP_CELLS "'",
             "<data encoding='base64' compression='gzip'>" GZIP_CELLS "</data>"),
    DATA_ROW("base64, zstd", ",'encoding':'base64','compression':'zstd','data':'" ZSTD_CELLS "'",
             "<data encoding='base64' compression='zstd'>" ZSTD_CELLS "</data>"),
    {"flips",
     J("", "", J_CELLS(",'data':[2147483649,3758096386]")),
     X("", "", "", X_CELLS("", "<data encoding='csv'>2147483649,3758096386</data>")),
     "cells 1x 2xyd",
     {NULL}},
    {"hexagonal rotation",
     J("", "", J_CELLS(",'data':[268435457,2]")),
     X("", "", "", X_CELLS("", "<data encoding='csv'>268435457,2</data>")),
     "cells 1 2",
     {NULL}},
    {"tiles of no tileset",
     J("", "", J_CELLS(",'data':[1,77]")),
     X("", "", "", X_CELLS("", "<data encoding='csv'>1,77</data>")),
     "cells 1 0",
     {"layer 1 \"a\": skipped 1 cells: their tiles are out of range: expected 0 to 4"}},
    {"infinite map",
     J(",'infinite':true", "", J_CELLS(",'chunks':[{'x':-2,'y':0,'width':2,'height':1,'data':[1,2]}]")),
     X(" infinite='1'", "", "",
       X_CELLS("", "<data encoding='csv'>\n <chunk x='-2' y='0' width='2' height='1'>\n1,2</chunk>\n</data>")),
     "at -2,0 cells 1 2",
     {NULL}},
    {"infinite map without cells",
     J(",'infinite':true", "", J_CELLS(",'chunks':[]")),
     X(" infinite='1'", "", "", X_CELLS("", "<data encoding='csv'>\n</data>")),
     "layer a",
     {NULL}},
    // --- layers
    LAYER_ROW("invalid tint", ",'tintcolor':'red'", " tintcolor='red'", "colour 1,1,1,1",
              "layer 1 \"a\": skipped tintcolor \"red\": use #rrggbb or #aarrggbb"),
    LAYER_ROW("opacity and tint", ",'opacity':0.5,'tintcolor':'#ff0000'", " opacity='0.5' tintcolor='#ff0000'",
              "colour 1,0,0,0.5"),
    LAYER_ROW("visible", ",'visible':false", " visible='0'", "layer a hidden"),
    LAYER_ROW("offset", ",'offsetx':1.5,'offsety':-2", " offsetx='1.5' offsety='-2'", "offset 1.5,-2"),
    LAYER_ROW("parallax", ",'parallaxx':0.5,'parallaxy':2", " parallaxx='0.5' parallaxy='2'", "parallax 0.5,2"),
    LAYER_ROW("class and lock", ",'class':'c','locked':true,'id':3", " class='c' locked='1' id='3'", "cells 1 2"),
    LAYER_ROW("blend mode", ",'mode':'multiply'", " mode='multiply'", "cells 1 2",
              "layer 1 \"a\": skipped the blend mode multiply"),
    {"property layer",
     J("", "", J_CELLS(J_DATA ",'properties':[{'name':'layer','type':'int','value':7}]")),
     X("", "", "", X_CELLS("", "<properties><property name='layer' type='int' value='7'/></properties>" X_DATA)),
     "order 7",
     {NULL}},
    {"group",
     J("", "", "{'type':'group','name':'g','offsetx':4,'opacity':0.5,'layers':[" J_CELLS(J_DATA ",'offsetx':1") "]}"),
     X("", "", "", "<group name='g' offsetx='4' opacity='0.5'>" X_CELLS(" offsetx='1'", X_DATA) "</group>"),
     "offset 5,0 colour 1,1,1,0.5",
     {NULL}},
    {"image layer",
     J("", "", "{'type':'imagelayer','name':'sky','image':'sky.png','repeatx':true,'transparentcolor':'#00ff00'}"),
     X("", "", "",
       "<imagelayer name='sky' repeatx='1'><image source='sky.png' trans='00ff00' width='9' height='9'/></imagelayer>"),
     "image sky.png|00ff00 repeat 1,0",
     {NULL}},
    {"image layer outside of assets/",
     J("", "", "{'type':'imagelayer','name':'sky','image':'C:/sky.png'}"),
     X("", "", "", "<imagelayer name='sky'><image source='C:/sky.png' width='9' height='9'/></imagelayer>"),
     "layer sky",
     {"layer 1 \"sky\": skipped the image: invalid file name \"C:/sky.png\": use a path inside assets/, relative to "
      "the map"}},
    {"unknown layer type",
     J("", "", "{'type':'sculpture','name':'s'}," J_CELLS(J_DATA)),
     NULL,
     "cells 1 2",
     {"layer 1 \"s\": skipped the layer: unknown layer type \"sculpture\""}},
    // --- objects
    OBJECT_ROW("rectangle, class and rotation",
               ",'name':'n','type':'box','x':10,'y':20,'width':8,'height':4,'rotation':90",
               " name='n' type='box' x='10' y='20' width='8' height='4' rotation='90'", "",
               "object 1 n box rect 8,24 8x4 turned 90"),
    OBJECT_ROW("class of Tiled 1.9", ",'class':'box','x':1", " class='box' x='1'", "", "object 1  box rect 1,0"),
    OBJECT_ROW("ellipse", ",'ellipse':true,'width':8,'height':4", " width='8' height='4'", "<ellipse/>", "ellipse 4,2"),
    OBJECT_ROW("point", ",'point':true,'x':3", " x='3'", "<point/>", "point 3,0"),
    OBJECT_ROW("polygon", ",'polygon':[{'x':0,'y':0},{'x':5,'y':1.5}]", "", "<polygon points='0,0 5,1.5'/>",
               "polygon 0,0 0x0 turned 0 points 0,0 5,1.5"),
    OBJECT_ROW("polyline", ",'polyline':[{'x':0,'y':0},{'x':-5,'y':1}]", "", "<polyline points='0,0 -5,1'/>",
               "polyline 0,0 0x0 turned 0 points 0,0 -5,1"),
    OBJECT_ROW("text", ",'text':{'text':'Keep out','wrap':true},'width':8", " width='8'",
               "<text wrap='1' pixelsize='14'>Keep out</text>", "rect 4,0",
               "layer \"o\": object 1: skipped its text: use an assemblage with the component text"),
    OBJECT_ROW("capsule", ",'capsule':true,'width':8", " width='8'", "<capsule/>", "rect 4,0",
               "layer \"o\": object 1: skipped its shape: capsules are not supported, so it is a rectangle"),
    OBJECT_ROW("visible", ",'visible':false", " visible='0'", "", "object 1   rect 0,0 0x0 turned 0 hidden"),
    OBJECT_ROW("tile", ",'gid':2147483650,'y':16,'width':16,'height':16",
               " gid='2147483650' y='16' width='16' height='16'", "", "tile 8,8 16x16 turned 0 cell 2x"),
    OBJECT_ROW("tile without a size", ",'gid':2,'y':16", " gid='2' y='16'", "", "tile 8,8 16x16"),
    OBJECT_ROW("tile out of range", ",'gid':77", " gid='77'", "", "object 1   tile",
               "layer \"o\": object 1: skipped its tile: tile 77 is out of range: expected 0 to 4"),
    // --- properties
    PROPERTY_ROW("string", "{'name':'p','type':'string','value':'x'}", "<property name='p' value='x'/>", "p=text x"),
    PROPERTY_ROW("string with several lines", "{'name':'p','type':'string','value':'x\\ny'}",
                 "<property name='p'>x\ny</property>", "p=text x\ny"),
    PROPERTY_ROW("empty string", "{'name':'p','type':'string','value':''}", "<property name='p' value=''/>",
                 "p=text \n"),
    PROPERTY_ROW("int and float", "{'name':'p','type':'int','value':-3},{'name':'q','type':'float','value':0.25}",
                 "<property name='p' type='int' value='-3'/><property name='q' type='float' value='0.25'/>",
                 "p=number -3 q=number 0.25"),
    PROPERTY_ROW("bool", "{'name':'p','type':'bool','value':true}", "<property name='p' type='bool' value='true'/>",
                 "p=bool true"),
    PROPERTY_ROW("color", "{'name':'p','type':'color','value':'#ff102030'}",
                 "<property name='p' type='color' value='#ff102030'/>", "p=colour #ff102030"),
    PROPERTY_ROW("color that is not set", "{'name':'p','type':'color','value':''}",
                 "<property name='p' type='color' value=''/>", "turned 0\n"),
    PROPERTY_ROW("file", "{'name':'p','type':'file','value':'./x.ogg'}",
                 "<property name='p' type='file' value='./x.ogg'/>", "p=text x.ogg"),
    PROPERTY_ROW("object", "{'name':'p','type':'object','value':4}", "<property name='p' type='object' value='4'/>",
                 "p=object 4"),
    PROPERTY_ROW("enum", "{'name':'p','type':'int','propertytype':'Kind','value':2}",
                 "<property name='p' type='int' propertytype='Kind' value='2'/>", "p=number 2"),
    PROPERTY_ROW(
        "class", "{'name':'p','type':'class','propertytype':'C','value':{'a':1,'b':{'c':'x'}}}",
        "<property name='p' type='class' propertytype='C'><properties><property name='a' type='int' value='1'/>"
        "<property name='b' type='class' propertytype='D'><properties><property name='c' value='x'/>"
        "</properties></property></properties></property>",
        "p.a=number 1 p.b.c=text x"),
    PROPERTY_ROW("list", "{'name':'p','type':'list','value':[{'type':'int','value':1}]}",
                 "<property name='p' type='list'><item type='int' value='1'/></property>", "turned 0\n",
                 "layer \"o\": object 1 \"a\": skipped property p: lists are not supported"),
};

// --- reading

SETUP(fixture_t, f) {
}

TEARDOWN(fixture_t, f) {
  map_destroy(f->map);
  assert_int_equal(f->memory.bytes, 0);
}

static char *copy_file(allocator_t *a, const char *name, const char *text, size_t bytes) {
  char *out = memcpy(alloc_resize(a, NULL, 0, bytes + 1), text, bytes);
  out[bytes] = '\0';
  for (size_t i = 0; i < bytes; ++i) // JSON with ' for "
    if (out[i] == '\'' && name[strlen(name) - 1] == 'j')
      out[i] = '"';
  return out;
}

static char *read_file(void *context, allocator_t *a, const char *name, size_t *bytes, error_info_t *error) {
  const fixture_t *f = context;
  if (strcmp(name, f->name) == 0) {
    *bytes = strlen(f->text);
    return copy_file(a, name, f->text, *bytes);
  }
  for (size_t i = 0; i < sizeof files / sizeof *files; ++i)
    if (strcmp(files[i].name, name) == 0) {
      *bytes = files[i].bytes ? files[i].bytes : strlen(files[i].text);
      return copy_file(a, name, files[i].text, *bytes);
    }
  error_set(error, "%s: not found", name);
  return NULL;
}

static const map_t *read_map(fixture_t *f, const char *name, const char *text) {
  map_source_t source = {.context = f, .read = read_file};
  map_destroy(f->map);
  f->name = name;
  f->text = text;
  f->map = map_read(&f->memory, &source, name, "", &f->error);
  return f->map;
}

// --- describing

__attribute__((format(printf, 2, 3))) static void add(fixture_t *f, const char *format, ...) {
  size_t used = strlen(f->description);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(f->description + used, sizeof f->description - used, format, arguments);
  va_end(arguments);
}

static void add_cell(fixture_t *f, uint32_t cell) {
  add(f, " %u%s%s%s", MAP_TILE(cell), cell & MAP_FLIP_X ? "x" : "", cell & MAP_FLIP_Y ? "y" : "",
      cell & MAP_FLIP_DIAGONAL ? "d" : "");
}

static void add_tile(fixture_t *f, uint32_t number) {
  const map_t *m = f->map;
  const map_tile_t *t = &m->tiles[number];
  add(f, "tile %u %s %d,%d %dx%d offset %g,%g%s", number, t->image == MAP_NO_IMAGE ? "none" : m->images[t->image], t->x,
      t->y, t->width, t->height, (double)t->offset_x, (double)t->offset_y, t->solid ? " solid" : "");
  for (uint32_t i = 0; i < t->part_count; ++i) {
    map_part_t part = m->parts[t->first_part + i];
    add(f, " part %g,%g to %g,%g", (double)part.left, (double)part.top, (double)part.right, (double)part.bottom);
  }
  for (uint32_t i = 0; i < t->frame_count; ++i)
    add(f, "%s %u:%u", i ? "" : " frames", m->frames[t->first_frame + i].tile, m->frames[t->first_frame + i].ms);
  add(f, "\n");
}

static void add_layer(fixture_t *f, const map_layer_t *l) {
  add(f, "layer %s%s offset %g,%g colour %g,%g,%g,%g parallax %g,%g order %d", l->name, l->visible ? "" : " hidden",
      (double)l->x, (double)l->y, (double)l->colour[0], (double)l->colour[1], (double)l->colour[2],
      (double)l->colour[3], (double)l->parallax[0], (double)l->parallax[1], l->order);
  if (l->image != MAP_NO_IMAGE)
    add(f, " image %s repeat %d,%d", f->map->images[l->image], l->repeat[0], l->repeat[1]);
  if (l->columns > 0)
    add(f, " at %d,%d cells", l->left, l->top);
  for (uint32_t i = 0; i < l->columns * l->rows; ++i)
    add_cell(f, map_cell(l, l->left + (int32_t)(i % l->columns), l->top + (int32_t)(i / l->columns)));
  add(f, "\n");
}

static void add_object(fixture_t *f, const map_object_t *o) {
  static const char *const shapes[] = {"rect", "ellipse", "point", "polygon", "polyline", "tile"};
  static const char *const types[] = {"none", "text", "number", "bool", "colour", "object"};
  add(f, "object %u %s %s %s %g,%g %gx%g turned %g", o->id, o->name, o->class_name, shapes[o->shape],
      round(o->x * 1000) / 1000, round(o->y * 1000) / 1000, o->width, o->height,
      round(o->angle * 180 / 3.14159265358979323846));
  if (o->cell) {
    add(f, " cell");
    add_cell(f, o->cell);
  }
  add(f, "%s%s%s", o->points ? " points " : "", o->points ? o->points : "", o->visible ? "" : " hidden");
  for (uint32_t i = 0; i < o->properties.count; ++i)
    add(f, " %s=%s %s", o->properties.items[i].name, types[o->properties.items[i].type], o->properties.items[i].text);
  add(f, "\n");
}

static const char *describe_map(fixture_t *f) {
  const map_t *m = f->map;
  f->description[0] = '\0';
  add(f, "map %dx%d area %g,%g,%g,%g background %g,%g,%g,%g origin %g,%g%s%s\n", m->tile_width, m->tile_height,
      (double)m->area[0], (double)m->area[1], (double)m->area[2], (double)m->area[3], (double)m->background[0],
      (double)m->background[1], (double)m->background[2], (double)m->background[3], (double)m->parallax_origin[0],
      (double)m->parallax_origin[1], m->right_to_left ? " right to left" : "",
      m->bottom_to_top ? ", bottom to top" : "");
  for (uint32_t i = 1; i < m->tile_count; ++i)
    add_tile(f, i);
  for (uint32_t i = 0; i < m->layer_count; ++i)
    add_layer(f, &m->layers[i]);
  for (uint32_t i = 0; i < m->object_count; ++i)
    add_object(f, &m->objects[i]);
  return f->description;
}

// --- tests

static void check_row(fixture_t *f, const row_t *row, const char *name, const char *text) {
  const map_t *m = read_map(f, name, text);
  uint32_t count = 0;
  if (!m)
    fail_msg("%s (%s): %s", row->item, name, f->error.text);
  if (!strstr(describe_map(f), row->expected))
    fail_msg("%s (%s): expected \"%s\" in\n%s", row->item, name, row->expected, f->description);
  for (; count < 2 && row->warnings[count]; ++count)
    if (count >= m->warning_count || !strstr(m->warnings[count], row->warnings[count]))
      fail_msg("%s (%s): expected the warning \"%s\", got \"%s\"", row->item, name, row->warnings[count],
               count < m->warning_count ? m->warnings[count] : "");
  if (m->warning_count != count)
    fail_msg("%s (%s): unexpected warning: %s", row->item, name, m->warnings[count]);
}

TEST_IN(each_item_of_the_format_is_read_or_skipped_with_a_warning, fixture_t, f) {
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    char description[sizeof f->description] = "";
    if (rows[i].json)
      check_row(f, &rows[i], "a.tmj", rows[i].json);
    memcpy(description, f->description, sizeof description);
    if (rows[i].xml)
      check_row(f, &rows[i], "a.tmx", rows[i].xml);
    if (rows[i].json && rows[i].xml && !strstr(rows[i].json, ".tsj") && strcmp(description, f->description) != 0)
      fail_msg("%s: JSON and XML differ:\n%s\n%s", rows[i].item, description, f->description);
  }
}

TEST_IN(tile_objects_are_aligned_as_their_tileset_specifies, fixture_t, f) {
  static const char *const alignments[][2] = {
      {"unspecified", "28,36"}, {"topleft", "28,44"},     {"top", "20,44"},   {"topright", "12,44"},
      {"left", "28,40"},        {"center", "20,40"},      {"right", "12,40"}, {"bottomleft", "28,36"},
      {"bottom", "20,36"},      {"bottomright", "12,36"},
  };
  for (size_t i = 0; i < sizeof alignments / sizeof *alignments; ++i) {
    char text[1024];
    snprintf(text, sizeof text,
             X("", " objectalignment='%s'", "",
               "<objectgroup><object id='1' gid='1' x='20' y='40' width='16' height='8'/></objectgroup>"),
             alignments[i][0]);
    check_row(f, &(row_t){alignments[i][0], .expected = alignments[i][1]}, "a.tmx", text);
  }
  check_row(f, &(row_t){"rotated", .expected = "tile 24,48"}, "a.tmx",
            X("", "", "",
              "<objectgroup><object id='1' gid='1' x='20' y='40' width='16' height='8' rotation='90'/>"
              "</objectgroup>"));
}

#define TEMPLATE_MAP(set, template, more)                                                                              \
  X_HEAD "><tileset firstgid='1' name='t' tilewidth='4' tileheight='4' tilecount='3' columns='3'><image "              \
         "source='t.png'/></tileset>" set                                                                              \
         "<objectgroup name='o'><object id='1' template='" template "' x='4' y='8'" more "</objectgroup></map>"

TEST_IN(templates_of_both_formats_have_tiles_of_their_own_tileset, fixture_t, f) {
  static const char *const expected =
      "object 1 crate gem tile 8,4 8x8 turned 0 cell 5 hp=number 3 key=text a worth=number 7";
  const row_t row = {"template", .expected = expected};
  check_row(f, &row, "a.tmx", TEMPLATE_MAP("<tileset firstgid='4' source='set.tsx'/>", "crate.tx", "/>"));
  check_row(f, &row, "a.tmx", TEMPLATE_MAP("", "crate.tx", "/>")); // the tileset is added after those of the map
  check_row(f, &row, "a.tmx", TEMPLATE_MAP("", "crate.tj", "/>"));
  assert_int_equal(f->map->file_count, 3); // all of them are watched
  check_row(f, &(row_t){"template without a tile", .expected = "object 1  rat rect 6,11 4x6"}, "a.tmx",
            TEMPLATE_MAP("", "rat.tx", "/>"));
  check_row(f, &(row_t){"own values", .expected = "object 1 mine gem tile 8,4 8x8 turned 0 cell 5 hp=number 9 key"},
            "a.tmx",
            TEMPLATE_MAP("", "crate.tx",
                         " name='mine'><properties><property name='hp' type='int' value='9'/></properties></object>"));
  check_row(f,
            &(row_t){"missing template", .expected = "object 1   rect 0,0 0x0 turned 0 hidden",
                     .warnings = {"a.tmx: layer \"o\": object 1: skipped the object, because its template is missing: "
                                  "no.tx: not found"}},
            "a.tmx", TEMPLATE_MAP("", "no.tx", "/>"));
}

TEST_IN(tile_objects_inherit_class_and_properties_of_their_tile, fixture_t, f) {
  const char *tile = "<tile id='0' type='coin'><properties><property name='worth' type='int' value='7'/><property "
                     "name='solid' type='bool' value='true'/></properties></tile>";
  char text[2048];
  snprintf(text, sizeof text, X("", "", "%s", "<objectgroup><object id='1' gid='1'%s</objectgroup>"), tile, "/>");
  check_row(f, &(row_t){"tile", .expected = "object 1  coin tile 8,-8 16x16 turned 0 cell 1 worth=number 7\n"}, "a.tmx",
            text);
  snprintf(text, sizeof text, X("", "", "%s", "<objectgroup><object id='1' gid='1'%s</objectgroup>"), tile,
           " type='chest'><properties><property name='worth' type='int' value='1'/></properties></object>");
  check_row(f, &(row_t){"own", .expected = "object 1  chest tile 8,-8 16x16 turned 0 cell 1 worth=number 1\n"}, "a.tmx",
            text);
}

// Tiled writes the line if its option "Include DTD reference in saved maps" is set.
TEST_IN(doctype_line_is_skipped_in_maps_tilesets_and_templates, fixture_t, f) {
  static const char map[] = X_HEAD "><tileset firstgid='5' source='dtd.tsx'/><objectgroup><object id='1' "
                                   "template='dtd.tx'/></objectgroup></map>";
  static const char *const doctypes[] = {DOCTYPE("map"), "<!DOCTYPE map>\n",
                                         "<!DOCTYPE map PUBLIC \"-//Tiled//DTD\" \"map.dtd\">\n"};
  for (size_t i = 0; i < sizeof doctypes / sizeof *doctypes; ++i) {
    char text[2048];
    snprintf(text, sizeof text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n%s%s", doctypes[i], map);
    check_row(f, &(row_t){"doctype", .expected = "object 1 mine  tile 8,-8 16x16 turned 0 cell 6"}, "a.tmx", text);
  }
}

TEST_IN(objects_without_an_id_are_numbered_in_file_order, fixture_t, f) {
  static const struct {
    const char *ids[4];
    const char *next, *expected[4], *warning;
  } cases[] = {
      {{"", "", "", ""},
       "",
       {"1", "2", "3", "4"},
       "a.tmx: 4 objects have no id or the id of an earlier object, and received the ids 1 to 4, "},
      {{"3", "", "3", "1"},
       "",
       {"3", "4", "5", "1"},
       "2 objects have no id or the id of an earlier object, and received the ids 4 to 5, "},
      {{"2", "2", "2", ""},
       " nextobjectid='9'",
       {"2", "9", "10", "11"},
       "3 objects have no id or the id of an earlier object, and received the ids 9 to 11, "},
      {{"", "1", "2", "3"}, "", {"4", "1", "2", "3"}, "1 object has no id "},
      {{"4", "1", "3", "2"}, "", {"4", "1", "3", "2"}, NULL},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    char text[2048];
    snprintf(text, sizeof text, X_HEAD "%s>", cases[i].next);
    for (int k = 0; k < 4; ++k) // four objects in two layers
      snprintf(text + strlen(text), sizeof text - strlen(text), "%s<object%s%s%s/>%s",
               k % 2 == 0 ? "<objectgroup>" : "", cases[i].ids[k][0] ? " id='" : "", cases[i].ids[k],
               cases[i].ids[k][0] ? "'" : "", k % 2 == 1 ? "</objectgroup>" : "");
    strcat(text, "</map>");
    const map_t *m = read_map(f, "a.tmx", text);
    assert_true(m && m->object_count == 4);
    for (int k = 0; k < 4; ++k)
      assert_int_equal(m->objects[k].id, atoi(cases[i].expected[k]));
    assert_int_equal(m->warning_count, cases[i].warning ? 1 : 0);
    assert_true(!cases[i].warning || strstr(m->warnings[0], cases[i].warning));
  }
}

TEST_IN(damaged_files_are_rejected, fixture_t, f) {
  static const char *const cases[][2] = {
      {X_HEAD ">", "a.tmx:1: invalid map: no element found"},
      {"<!DOCTYPE map [<!ENTITY a \"aaaa\">]>\n<map/>",
       "a.tmx:1: invalid map: declarations in a DOCTYPE are not supported"},
      {DOCTYPE("map") X("", "", "", "<objectgroup><object><text>a&nbsp;b</text></object></objectgroup>"),
       "a.tmx:2: invalid map: undefined entity &nbsp;"},
      {"<tileset/>", "expected the root element <map>, got <tileset>"},
      {X("", "", "", X_CELLS("", "<data encoding='csv'>1</data>")), "layer 1 \"a\": expected 2 cells, got 1"},
      {X("", "", "", X_CELLS("", "<data encoding='csv'>1,-1</data>")), "cell 2 must be a tile number"},
      {X("", "", "", X_CELLS("", "<data encoding='csv'>1,5000000000</data>")), "cell 2 must be a tile number"},
      {X("", "", "", X_CELLS("", "<data encoding='base64' compression='zlib'>eJxjZ</data>")), "damaged"},
      {X_HEAD " orientation='isometric'/>", "orientation isometric is not supported: use orthogonal"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    if (read_map(f, "a.tmx", cases[i][0]))
      fail_msg("accepted: %s", cases[i][0]);
    if (!strstr(f->error.text, cases[i][1]))
      fail_msg("\"%s\" does not contain \"%s\"", f->error.text, cases[i][1]);
  }
}

TEST_IN(warnings_are_limited, fixture_t, f) {
  static char text[16384];
  strcpy(text, X_HEAD "><objectgroup name='o'>");
  for (int i = 0; i < 60; ++i)
    snprintf(text + strlen(text), sizeof text - strlen(text), "<object id='%d'><text>a</text></object>", i + 1);
  strcat(text, "</objectgroup></map>");
  const map_t *m = read_map(f, "a.tmx", text);
  assert_true(m && m->object_count == 60);
  assert_string_equal(m->warnings[m->warning_count - 1], "a.tmx: skipped 10 more details");
}
