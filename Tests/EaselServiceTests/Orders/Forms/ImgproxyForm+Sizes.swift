extension ImgproxyForm {
  /// The forms of options that decide the size.
  static let sizes = """
    resize rs | fit | -
    resize rs | fit:300 | width=300
    resize rs | fit:300:200 | width=300 height=200
    resize rs | fit:300:200:1 | width=300 height=200 enlarge
    resize rs | fit:300:200:1:1 | width=300 height=200 enlarge extend=ce
    resize rs | fill | type=fill
    resize rs | fill:300 | type=fill width=300
    resize rs | fill:300:200 | type=fill width=300 height=200
    resize rs | fill:300:200:1 | type=fill width=300 height=200 enlarge
    resize rs | fill:300:200:1:1 | type=fill width=300 height=200 enlarge extend=ce
    resize rs | fill-down | type=fill-down
    resize rs | fill-down:300 | type=fill-down width=300
    resize rs | fill-down:300:200 | type=fill-down width=300 height=200
    resize rs | fill-down:300:200:1 | type=fill-down width=300 height=200 enlarge
    resize rs | fill-down:300:200:1:1 | type=fill-down width=300 height=200 enlarge extend=ce
    resize rs | force | type=force
    resize rs | force:300 | type=force width=300
    resize rs | force:300:200 | type=force width=300 height=200
    resize rs | force:300:200:1 | type=force width=300 height=200 enlarge
    resize rs | force:300:200:1:1 | type=force width=300 height=200 enlarge extend=ce
    resize rs | auto | type=auto
    resize rs | auto:300 | type=auto width=300
    resize rs | auto:300:200 | type=auto width=300 height=200
    resize rs | auto:300:200:1 | type=auto width=300 height=200 enlarge
    resize rs | auto:300:200:1:1 | type=auto width=300 height=200 enlarge extend=ce
    resize rs | :300:200 | width=300 height=200
    resize rs | fit::200 | height=200
    resize rs | fill:300:200::1 | type=fill width=300 height=200 extend=ce
    resize rs | fill:300:200:0:1:so:10:20 | type=fill width=300 height=200 extend=so{10,20}
    resize rs | fill:300:200:t:f | type=fill width=300 height=200 enlarge
    resize rs | auto:300:200:true:true:nowe | type=auto width=300 height=200 enlarge extend=nowe
    resize rs | fit:0:0 | -
    resize rs | force:300:0 | type=force width=300
    resize rs | force:0:200 | type=force height=200
    size s | 300 | width=300
    size s | 300:200 | width=300 height=200
    size s | 300:200:1 | width=300 height=200 enlarge
    size s | 300:200:1:1 | width=300 height=200 enlarge extend=ce
    size s | 300:200:0:1:so:10:20 | width=300 height=200 extend=so{10,20}
    size s | :200 | height=200
    size s | 300:200::1 | width=300 height=200 extend=ce
    size s | 0:200:t:t | height=200 enlarge extend=ce
    size s | 300:200:f:true:fp:0.3:0.7 | width=300 height=200 extend=fp{0.3,0.7}
    resizing_type rt | fit | -
    resizing_type rt | fill | type=fill
    resizing_type rt | fill-down | type=fill-down
    resizing_type rt | force | type=force
    resizing_type rt | auto | type=auto
    width w | 300 | width=300
    width w | 0 | -
    height h | 300 | height=300
    height h | 0 | -
    min-width mw | 300 | min-width=300
    min-width mw | 0 | -
    min-height mh | 300 | min-height=300
    min-height mh | 0 | -
    zoom z | 2 | zoom=2:2
    zoom z | 0.5 | zoom=0.5:0.5
    zoom z | 1:2 | zoom=1:2
    zoom z | 0.5:0.25 | zoom=0.5:0.25
    zoom z | 1 | -
    dpr | 2 | dpr=2
    dpr | 1.5 | dpr=1.5
    dpr | 0.5 | dpr=0.5
    dpr | 1 | -
    dpr | 3 | dpr=3
    enlarge el | 1 | enlarge
    enlarge el | t | enlarge
    enlarge el | true | enlarge
    enlarge el | 0 | -
    enlarge el | f | -
    enlarge el | false | -
    extend ex | 1 | extend=ce
    extend ex | t | extend=ce
    extend ex | true | extend=ce
    extend ex | 0 | -
    extend ex | f | -
    extend ex | false | -
    extend ex | 1:ce | extend=ce
    extend ex | 1:no | extend=no
    extend ex | 1:ea | extend=ea
    extend ex | 1:so | extend=so
    extend ex | 1:we | extend=we
    extend ex | 1:nowe | extend=nowe
    extend ex | 1:noea | extend=noea
    extend ex | 1:sowe | extend=sowe
    extend ex | 1:soea | extend=soea
    extend ex | 1:so:10 | extend=so{10,0}
    extend ex | 1:so:10:20 | extend=so{10,20}
    extend ex | 1:soea:0.1:0.2 | extend=soea{0.1s,0.2s}
    extend ex | 1:ce:-10:20 | extend=ce{-10,20}
    extend ex | 1:fp:0.3:0.7 | extend=fp{0.3,0.7}
    extend ex | 1:fp:0.5:0.5 | extend=ce
    extend ex | 0:so | -
    extend ex | 1:sm | error
    extend ex | 1:re | error
    extend_aspect_ratio extend_ar exar | 1 | extend-ratio=ce
    extend_aspect_ratio extend_ar exar | t | extend-ratio=ce
    extend_aspect_ratio extend_ar exar | true | extend-ratio=ce
    extend_aspect_ratio extend_ar exar | 0 | -
    extend_aspect_ratio extend_ar exar | f | -
    extend_aspect_ratio extend_ar exar | false | -
    extend_aspect_ratio extend_ar exar | 1:ce | extend-ratio=ce
    extend_aspect_ratio extend_ar exar | 1:no | extend-ratio=no
    extend_aspect_ratio extend_ar exar | 1:ea | extend-ratio=ea
    extend_aspect_ratio extend_ar exar | 1:so | extend-ratio=so
    extend_aspect_ratio extend_ar exar | 1:we | extend-ratio=we
    extend_aspect_ratio extend_ar exar | 1:nowe | extend-ratio=nowe
    extend_aspect_ratio extend_ar exar | 1:noea | extend-ratio=noea
    extend_aspect_ratio extend_ar exar | 1:sowe | extend-ratio=sowe
    extend_aspect_ratio extend_ar exar | 1:soea | extend-ratio=soea
    extend_aspect_ratio extend_ar exar | 1:so:10 | extend-ratio=so{10,0}
    extend_aspect_ratio extend_ar exar | 1:so:10:20 | extend-ratio=so{10,20}
    extend_aspect_ratio extend_ar exar | 1:soea:0.1:0.2 | extend-ratio=soea{0.1s,0.2s}
    extend_aspect_ratio extend_ar exar | 1:ce:-10:20 | extend-ratio=ce{-10,20}
    extend_aspect_ratio extend_ar exar | 1:fp:0.3:0.7 | extend-ratio=fp{0.3,0.7}
    extend_aspect_ratio extend_ar exar | 1:fp:0.5:0.5 | extend-ratio=ce
    extend_aspect_ratio extend_ar exar | 0:so | -
    extend_aspect_ratio extend_ar exar | 1:sm | error
    extend_aspect_ratio extend_ar exar | 1:re | error
    enlarge el | x | - | error | a switch that is neither true nor false is a mistake, not false
    dpr | 10 | dpr=10 | error | the ratio is from 0.1 to 8, so that no address asks for a huge picture
    dpr | 0.05 | dpr=0.05 | error | the ratio is from 0.1 to 8, so that no address asks for a huge picture
    zoom z | 2000 | zoom=2000:2000 | error | numbers have limits, so that no address takes much work
    | ex:1/exar:1 | extend=ce
    | exar:1/ex:1 | extend=ce
    | exar:1/ex:0 | extend-ratio=ce
    | ex:1:no/ex:1 | extend=no
    | rs:fill:300:200/w:100 | type=fill width=100 height=200
    | w:100/h:200/rt:fill/el:1 | type=fill width=100 height=200 enlarge
    | s:300:200/rs:force | type=force width=300 height=200
    """
}
