import EaselCore

extension ColorDescription.Coding {
  /// The code points of a picture of which only the parameters of its coding speak, and no box.
  ///
  /// Encoders of video write those of television there, where nobody thinks of them, and everybody shows such pictures
  /// as sRGB. A box with the same numbers means them.
  package static func ofStream(primaries: Int, transfer: Int) -> (primaries: Int, transfer: Int) {
    // Four names of one curve.
    let isTelevision = [1, 6, 14, 15].contains(transfer)
    let isOpen = transfer == 0 || transfer == 2
    // Those of the old television differ little from those of sRGB.
    let isOld = (isTelevision || isOpen) && (primaries == 5 || primaries == 6)
    return (isOld ? sRGB.primaries : primaries, isTelevision ? sRGB.transfer : transfer)
  }
}
