import EaselCore

extension ColorDescription.Coding {
  /// The code points in libjxl's numbers; nil if libjxl has no numbers for them.
  var ofLibjxl: (white: UInt32, primaries: UInt32, transfer: UInt32)? {
    // The curves 6, 14 and 15 equal curve 1.
    let transfer = [6, 14, 15].contains(transfer) ? 1 : transfer
    guard [1, 8, 13, 16, 18].contains(transfer) else { return nil }
    switch primaries {
    case 1: return (1, 1, UInt32(transfer))
    case 9: return (1, 9, UInt32(transfer))
    case 11: return (11, 11, UInt32(transfer))
    case 12: return (1, 11, UInt32(transfer))
    default: return nil
    }
  }
}
