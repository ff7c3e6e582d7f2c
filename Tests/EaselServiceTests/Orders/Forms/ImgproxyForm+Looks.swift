extension ImgproxyForm {
  /// The forms of options that change colours and draw over the picture.
  static let looks = """
    background bg | 255:128:0 | background=ff8000
    background bg | ff8800 | background=ff8800
    background bg | f80 | background=ff8800
    background bg | FF8800 | background=ff8800
    background bg |  | -
    background bg | 256:0:0 | error
    background bg | red | error
    background bg | 1:2 | error
    | bg:f80/bg: | -
    blur bl | 2 | Blur(2)
    blur bl | 0.5 | Blur(0.5)
    blur bl | 0 | -
    blur bl | -1 | error
    sharpen sh | 1.5 | Sharpen(1,1.5)
    sharpen sh | 0.5 | Sharpen(1,0.5)
    sharpen sh | 0 | -
    sharpen sh | -1 | error
    blur bl | 2000 | Blur(2000) | error | numbers have limits, so that no address takes much work
    sharpen sh | 200 | Sharpen(1,200) | error | numbers have limits, so that no address takes much work
    watermark wm | 0.5:ce:0:0:20 | watermark=0.5:ce:20 | error | numbers have limits, so that no address takes much work
    pixelate pix | 8 | Pixelate(8)
    pixelate pix | 1 | -
    pixelate pix | 0 | -
    pixelate pix | -1 | error
    watermark wm | 0.5 | watermark=0.5:ce
    watermark wm | 1 | watermark=1:ce
    watermark wm | 0 | -
    watermark wm | 2 | error
    watermark wm | 0.5:ce | watermark=0.5:ce
    watermark wm | 0.5:no | watermark=0.5:no
    watermark wm | 0.5:ea | watermark=0.5:ea
    watermark wm | 0.5:so | watermark=0.5:so
    watermark wm | 0.5:we | watermark=0.5:we
    watermark wm | 0.5:nowe | watermark=0.5:nowe
    watermark wm | 0.5:noea | watermark=0.5:noea
    watermark wm | 0.5:sowe | watermark=0.5:sowe
    watermark wm | 0.5:soea | watermark=0.5:soea
    watermark wm | 0.5:re | watermark=0.5:re{0,0}
    watermark wm | 0.5:soea:10 | watermark=0.5:soea{10,0}
    watermark wm | 0.5:soea:10:20 | watermark=0.5:soea{10,20}
    watermark wm | 0.5:soea:0.1:-0.2 | watermark=0.5:soea{0.1s,-0.2s}
    watermark wm | 0.5:soea:-10:-20:0.3 | watermark=0.5:soea{-10,-20}:0.3
    watermark wm | 0.5:re:10:20 | watermark=0.5:re{10,20}
    watermark wm | 0.5:re:0.1:0.1:0.5 | watermark=0.5:re{0.1s,0.1s}:0.5
    watermark wm | 1:ce:0:0:0 | watermark=1:ce
    watermark wm | 0.5::10:20 | watermark=0.5:ce{10,20}
    watermark wm | 0.5::::0.25 | watermark=0.5:ce:0.25
    watermark wm | 0.5:sm | error
    | wm:0.5:soea:10:20:0.3/wm:0.9 | watermark=0.9:soea{10,20}:0.3
    | wm:0.5:re:10:20/wm:0.9 | watermark=0.9:re{10,20}
    """
}
