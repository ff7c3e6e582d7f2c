/// A unit of HEVC: a set of parameters, a slice of a picture, or data that no decoder needs.
///
/// The unit points into the bytes of the file, or into a block of ``HEIFBlocks``. Its owner keeps both alive.
struct HEVCUnit {
  let bytes: UnsafeRawBufferPointer

  /// Returns nil if the head is not whole, or if the unit is in a layer other than the first.
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count > 2, bytes[0] & 0x80 == 0, bytes[0] & 1 == 0, bytes[1] >> 3 == 0, bytes[1] & 7 > 0 else {
      return nil
    }
    self.bytes = bytes
  }

  private var kind: UInt8 { bytes[0] >> 1 & 63 }

  /// True for a parameter set of all sequences, of one sequence, or of a picture.
  var isParameters: Bool { (32...34).contains(kind) }
  var isSequenceParameters: Bool { kind == 33 }
  var isPictureParameters: Bool { kind == 34 }
  /// True for a part of any picture.
  var isSlice: Bool { kind < 32 }
  /// True for a slice of a picture that refers to no other.
  var isSliceOfItself: Bool { (16...21).contains(kind) }
  /// True for the first slice of a picture.
  var beginsPicture: Bool { isSlice && bytes[2] & 0x80 != 0 }
}
