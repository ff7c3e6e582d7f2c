import EaselCore

extension ColorDescription.Coding {
  /// The code points of a picture that only the parameters of its coding state, without a box.
  ///
  /// Encoders of video write the code points of television there without anybody having chosen them, and all viewers
  /// show these pictures as sRGB. In a box, the same numbers are meant.
  package static func ofStream(primaries: Int, transfer: Int) -> (primaries: Int, transfer: Int) {
    // These four numbers name one curve.
    let isTelevision = [1, 6, 14, 15].contains(transfer)
    let isOpen = transfer == 0 || transfer == 2
    // The primaries of the old television differ little from the primaries of sRGB.
    let isOld = (isTelevision || isOpen) && (primaries == 5 || primaries == 6)
    return (isOld ? sRGB.primaries : primaries, isTelevision ? sRGB.transfer : transfer)
  }
}
