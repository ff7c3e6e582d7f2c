import Foundation

/// An animation written by hand: a square that moves from left to right in 30 frames of a second.
struct Animation {
  var (width, height) = (100, 80)
  var (frames, rate) = (30, 30.0)
  var color = "1,0,0,1"

  var text: String {
    """
    {"v":"5.5.7","fr":\(rate),"ip":0,"op":\(frames),"w":\(width),"h":\(height),"nm":"t","ddd":0,"assets":[],"layers":[\
    {"ddd":0,"ind":1,"ty":4,"nm":"a","sr":1,"ks":{"o":{"a":0,"k":100},"r":{"a":0,"k":0},"p":{"a":1,"k":[\
    {"t":0,"s":[20,40,0],"e":[80,40,0],"i":{"x":[1],"y":[1]},"o":{"x":[0],"y":[0]}},{"t":\(frames),"s":[80,40,0]}]},\
    "a":{"a":0,"k":[0,0,0]},"s":{"a":0,"k":[100,100,100]}},"ao":0,"shapes":[{"ty":"gr","it":[\
    {"ty":"rc","d":1,"s":{"a":0,"k":[30,30]},"p":{"a":0,"k":[0,0]},"r":{"a":0,"k":0},"nm":"r"},\
    {"ty":"fl","c":{"a":0,"k":[\(color)]},"o":{"a":0,"k":100},"r":1,"nm":"f"},\
    {"ty":"tr","p":{"a":0,"k":[0,0]},"a":{"a":0,"k":[0,0]},"s":{"a":0,"k":[100,100]},"r":{"a":0,"k":0},"o":{"a":0,"k":100}}\
    ],"nm":"g"}],"ip":0,"op":\(frames),"st":0,"bm":0}]}
    """
  }

  var data: Data { Data(text.utf8) }
}
