extension ImgproxyForm {
  /// The forms of options of the file and the answer, and of presets.
  static let files = """
    strip_metadata sm | 1 | metadata=strip
    strip_metadata sm | t | metadata=strip
    strip_metadata sm | true | metadata=strip
    strip_metadata sm | 0 | metadata=keep
    strip_metadata sm | f | metadata=keep
    strip_metadata sm | false | metadata=keep
    keep_copyright kcr | 1 | copyright=keep
    keep_copyright kcr | t | copyright=keep
    keep_copyright kcr | true | copyright=keep
    keep_copyright kcr | 0 | copyright=strip
    keep_copyright kcr | f | copyright=strip
    keep_copyright kcr | false | copyright=strip
    strip_color_profile scp | 1 | profile=strip | - | pictures are always converted to sRGB
    strip_color_profile scp | t | profile=strip | - | pictures are always converted to sRGB
    strip_color_profile scp | true | profile=strip | - | pictures are always converted to sRGB
    strip_color_profile scp | 0 | profile=keep | - | pictures are always converted to sRGB
    strip_color_profile scp | f | profile=keep | - | pictures are always converted to sRGB
    strip_color_profile scp | false | profile=keep | - | pictures are always converted to sRGB
    preserve_hdr ph | 1 | 16-bits
    preserve_hdr ph | t | 16-bits
    preserve_hdr ph | true | 16-bits
    preserve_hdr ph | 0 | -
    preserve_hdr ph | f | -
    preserve_hdr ph | false | -
    enforce_thumbnail eth | 1 | thumbnail | - | a thumbnail in a file is used where it suffices
    enforce_thumbnail eth | t | thumbnail | - | a thumbnail in a file is used where it suffices
    enforce_thumbnail eth | true | thumbnail | - | a thumbnail in a file is used where it suffices
    enforce_thumbnail eth | 0 | -
    enforce_thumbnail eth | f | -
    enforce_thumbnail eth | false | -
    return_attachment att | 1 | attachment
    return_attachment att | t | attachment
    return_attachment att | true | attachment
    return_attachment att | 0 | -
    return_attachment att | f | -
    return_attachment att | false | -
    raw | 1 | original
    raw | t | original
    raw | true | original
    raw | 0 | -
    raw | f | -
    raw | false | -
    quality q | 0 | -
    quality q | 1 | quality=1
    quality q | 55 | quality=55
    quality q | 100 | quality=100
    quality q | 101 | error
    quality q | -1 | error
    format_quality fq | jpeg:70 | qualities=jpeg:70
    format_quality fq | jpg:70 | qualities=jpeg:70
    format_quality fq | webp:60:avif:50 | qualities=avif:50,webp:60
    format_quality fq | jxl:40:heic:50:tiff:30 | qualities=heic:50,jxl:40,tiff:30
    format_quality fq | png:0 | -
    format_quality fq | webp | error
    format_quality fq | exe:5 | error
    autoquality aq | ssimulacra2 | score=80
    autoquality aq | ssimulacra2:75 | score=75
    autoquality aq | ssimulacra2:75:40:90:0.5 | score=75/0.5/0.4-0.9
    autoquality aq | ssimulacra2::::2 | score=80/2
    autoquality aq | ssimulacra2:101 | error
    autoquality aq | ssimulacra2:75:90:40 | error
    autoquality aq | ssimulacra2:75:40:90:0 | error
    autoquality aq | ssimulacra2:75:1:2:3:4 | error
    autoquality aq | size:20000 | bytes=20000
    autoquality aq | size:0 | error
    autoquality aq | none | -
    autoquality aq |  | -
    autoquality aq | dssim:0.02 | error
    autoquality aq | ml | error
    max_bytes mb | 20000 | bytes=20000
    max_bytes mb | 0 | -
    max_bytes mb | -1 | error
    format f ext | jpg | format=jpeg
    format f ext | jpeg | format=jpeg
    format f ext | png | format=png
    format f ext | webp | format=webp
    format f ext | gif | format=gif
    format f ext | avif | format=avif
    format f ext | jxl | format=jxl
    format f ext | tiff | format=tiff
    format f ext | bmp | format=bmp
    format f ext | ico | format=ico
    format f ext | heic | format=heic | 415 | a format that is read and not written is answered with 415
    format f ext | svg | format=svg | 415 | a format that is read and not written is answered with 415
    format f ext | best | best
    format f ext | exe | error
    skip_processing skp | gif | untouched=gif
    skip_processing skp | svg | untouched=svg
    skip_processing skp | jpg:png | untouched=jpeg,png
    skip_processing skp | avif:bmp:heic:ico | untouched=avif,bmp,heic,ico
    skip_processing skp | jxl:tiff:webp:png:jpeg | untouched=jpeg,jxl,png,tiff,webp
    skip_processing skp | jpg:exe | error
    cachebuster cb | v2 | buster=v2
    cachebuster cb | 2024-01-01 | buster=2024-01-01
    cachebuster cb |  | -
    expires exp | 4102444800 | expires=4102444800
    expires exp | 0 | -
    expires exp | x | error
    filename fn | cat | name=cat
    filename fn | cat%20x | name=cat x
    filename fn | cat:0 | name=cat
    filename fn | cat:f | name=cat
    filename fn | Y2F0:1 | name=cat
    filename fn | Y2F0:t | name=cat
    filename fn | Y2F0:true | name=cat
    filename fn | Y2F0 | name=Y2F0
    preset pr | sharp | Sharpen(1,2)
    preset pr | sharp:small | width=100 height=100 Sharpen(1,2)
    preset pr | nested | width=50 Sharpen(1,2)
    preset pr | small:nested | width=50 height=100 Sharpen(1,2)
    preset pr | missing | error
    preset pr | limit | error | frames=5 | presets are the operator's, so that they may set limits
    | pr:small/w:300 | width=300 height=100
    | w:300/pr:small | width=100 height=100
    | pr:sharp/pr:small | width=100 height=100 Sharpen(1,2)
    | skp:gif/skp:png | untouched=gif,png
    | aq:ssimulacra2:75/aq:none | -
    | f:best/f:png | format=png
    | f:png/f:best | best
    | fq:webp:50/fq:avif:40 | qualities=avif:40,webp:50
    """
}
