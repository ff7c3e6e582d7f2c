extension ImgproxyForm {
  /// The forms of options that cut, turn and add borders.
  static let cuts = """
    gravity g | ce | -
    gravity g | no | gravity=no
    gravity g | ea | gravity=ea
    gravity g | so | gravity=so
    gravity g | we | gravity=we
    gravity g | nowe | gravity=nowe
    gravity g | noea | gravity=noea
    gravity g | sowe | gravity=sowe
    gravity g | soea | gravity=soea
    gravity g | no:10 | gravity=no{10,0}
    gravity g | no:10:20 | gravity=no{10,20}
    gravity g | no:0.1:0.2 | gravity=no{0.1s,0.2s}
    gravity g | soea:-10:-20 | gravity=soea{-10,-20}
    gravity g | ce:10 | gravity=ce{10,0}
    gravity g | ce:-0.1:0.25 | gravity=ce{-0.1s,0.25s}
    gravity g | sm | gravity=sm
    gravity g | fp:0.3:0.7 | gravity=fp{0.3,0.7}
    gravity g | fp:0:1 | gravity=fp{0,1}
    gravity g | fp:0.5:0.5 | -
    gravity g | re | error
    gravity g | sm:1 | error
    gravity g | fp:2:0 | error
    crop c | 100 | CropSize({100,0},ce)
    crop c | 100:50 | CropSize({100,50},ce)
    crop c | 0.5:0.5 | CropSize({0.5s,0.5s},ce)
    crop c | 0:50 | CropSize({0,50},ce)
    crop c | 100:0 | CropSize({100,0},ce)
    crop c | 0:0 | -
    crop c | 0.25 | CropSize({0.25s,0},ce)
    crop c | 100.7:50.2 | CropSize({100,50},ce)
    crop c | 100:50:ce | CropSize({100,50},ce)
    crop c | 100:50:no | CropSize({100,50},no)
    crop c | 100:50:ea | CropSize({100,50},ea)
    crop c | 100:50:so | CropSize({100,50},so)
    crop c | 100:50:we | CropSize({100,50},we)
    crop c | 100:50:nowe | CropSize({100,50},nowe)
    crop c | 100:50:noea | CropSize({100,50},noea)
    crop c | 100:50:sowe | CropSize({100,50},sowe)
    crop c | 100:50:soea | CropSize({100,50},soea)
    crop c | 100:50:nowe:10:20 | CropSize({100,50},nowe{10,20})
    crop c | 100:50:soea:0.1:0.2 | CropSize({100,50},soea{0.1s,0.2s})
    crop c | 100:50:sm | CropSize({100,50},sm)
    crop c | 100:50:fp:0.3:0.7 | CropSize({100,50},fp{0.3,0.7})
    crop c | 100:50:re | error
    crop c | 100:50/g:no | gravity=no CropSize({100,50},no)
    crop c | 100:50/g:sm | gravity=sm CropSize({100,50},sm)
    crop c | 100:50:so/g:no | gravity=no CropSize({100,50},so)
    crop c | 100:50/rot:90 | CropSize({50,100},ce) rotate=90
    crop c | 100:0/rot:270 | CropSize({0,100},ce) rotate=270
    crop c | 0.5:0.25/rot:180 | CropSize({0.5s,0.25s},ce) rotate=180
    crop c | 100:50/rot:90/g:no | gravity=no CropSize({50,100},we) rotate=90
    crop c | 100:50:nowe:10:20/rot:90 | CropSize({50,100},sowe{20,10}) rotate=90
    crop c | 100:50:so:5/rot:180 | CropSize({100,50},no{-5,0}) rotate=180
    crop c | 100:50:ea:5/rot:270 | CropSize({50,100},so{0,5}) rotate=270
    crop c | 100:50:fp:0.3:0.7/rot:90 | CropSize({50,100},fp{0.7,0.7}) rotate=90
    crop c | 100:50:ea/fl:1 | CropSize({100,50},we) flip=h
    crop c | 100:50:no:10/fl:1 | CropSize({100,50},no{-10,0}) flip=h
    crop c | 100:50:no/fl:0:1 | CropSize({100,50},so) flip=v
    crop c | 100:50:nowe:10:20/rot:90/fl:1 | CropSize({50,100},nowe{20,10}) rotate=90 flip=h
    crop c | 100:50:sm/rot:90 | CropSize({50,100},sm) rotate=90
    trim t | 10 | Trim(10,-,0,0)
    trim t | 0 | Trim(0,-,0,0)
    trim t | 10:ff0000 | Trim(10,#ffff0000,0,0)
    trim t | 10:f00 | Trim(10,#ffff0000,0,0)
    trim t | 10:FF00FF | Trim(10,#ffff00ff,0,0,#ffff00ff)
    trim t | 10::1 | Trim(10,-,1,0)
    trim t | 10::1:1 | Trim(10,-,1,1)
    trim t | 10::0:1 | Trim(10,-,0,1)
    trim t | 10:ffffff:t:f | Trim(10,#ffffffff,1,0)
    trim t | 10:ffffff:1:1 | Trim(10,#ffffffff,1,1)
    trim t |  | -
    trim t | :ff0000 | -
    trim t | 300 | Trim(300,-,0,0) | error | a tolerance is at most 255
    padding pd | 10 | padding=10:10:10:10
    padding pd | 10:20 | padding=10:20:10:20
    padding pd | 10:20:30 | padding=10:20:30:20
    padding pd | 10:20:30:40 | padding=10:20:30:40
    padding pd | :20 | padding=0:20:0:20
    padding pd | 10::30 | padding=10:10:30:10
    padding pd | ::30 | padding=0:0:30:0
    padding pd | 10:::40 | padding=10:10:10:40
    padding pd | 0 | -
    auto_rotate ar | 1 | -
    auto_rotate ar | t | -
    auto_rotate ar | true | -
    auto_rotate ar | 0 | orientation=ignore
    auto_rotate ar | f | orientation=ignore
    auto_rotate ar | false | orientation=ignore
    rotate rot | 0 | -
    rotate rot | 90 | rotate=90
    rotate rot | 180 | rotate=180
    rotate rot | 270 | rotate=270
    rotate rot | 360 | -
    rotate rot | 450 | rotate=90
    rotate rot | 45 | error
    flip fl | 1 | flip=h
    flip fl | 1:1 | flip=hv
    flip fl | 0:1 | flip=v
    flip fl | :1 | flip=v
    flip fl | t:t | flip=hv
    flip fl | true:false | flip=h
    flip fl | 0 | -
    flip fl | 0:0 | -
    | fl:1/fl::1 | flip=hv
    | c:100:50:so/c:80 | CropSize({80,50},so)
    | ex:1:so/ex:1 | extend=so
    | pd:10/pd::5 | padding=10:5:10:5
    | t:10::1:1/t:5 | Trim(5,-,1,1)
    | g:sm/g:no | gravity=no
    | g:no:10:20/g:so | gravity=so{10,20} | gravity=so | a place that is given again has no offsets of the one before
    """
}
