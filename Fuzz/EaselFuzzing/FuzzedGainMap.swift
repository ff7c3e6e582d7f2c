import EaselCoding
import EaselCore
import EaselJPEG
import FoundationEssentials

/// Drives the readers of all that describes a gain map with bytes that may be anything.
public struct FuzzedGainMap: Sendable {
  /// Tries one input as each of the three forms.
  public func run(_ input: UnsafeRawBufferPointer) {
    let bytes = [UInt8](input)
    readBlock(bytes)
    readPacket(Data(bytes))
    for place in MultiPictureIndex(bytes, at: 10)?.places ?? [] {
      precondition(place.lowerBound > 10 && !place.isEmpty, "A picture stands before the index or is empty.")
    }
  }

  private func readBlock(_ bytes: [UInt8]) {
    guard let formula = GainMap.Formula(iso21496: bytes) else { return }
    precondition(formula.isValid, "Invalid numbers were accepted.")
    let value = formula.neutralValue
    precondition((0..<3).allSatisfy { (0...1).contains(value[$0]) }, "The neutral value is out of range.")
    precondition(
      GainMap.Formula(iso21496: formula.iso21496) != nil || formula.isAtTheEdge, "The block is not read back.")
  }

  private func readPacket(_ packet: Data) {
    let map = XMPGainMap(packet)
    if let formula = map?.formula {
      precondition(formula.isValid, "Invalid numbers were accepted.")
      precondition(XMPGainMap(XMPGainMap.packet(of: formula))?.formula == formula, "The packet is not read back.")
    }
    precondition(map?.bytesFromEnd ?? 1 > 0, "A length is negative.")
    let announced = XMPGainMap(XMPGainMap.packet(announcing: 77, in: packet))
    precondition(announced?.claimsMap == true && announced?.bytesFromEnd == 77, "The announcement is lost.")
    _ = XMPGainMap.withoutClaim(packet)
  }
}

extension GainMap.Formula {
  /// True when rounding to millionths may leave the valid range.
  fileprivate var isAtTheEdge: Bool {
    abs(baseHeadroom - alternateHeadroom) < 1e-5 || (0..<3).contains { gamma[$0] < 0.00391 }
  }
}

/// Tries one input on the readers of gain maps, for the C that the fuzzer calls.
@_cdecl("easel_fuzz_gainmap")
public func fuzzGainMap(_ start: UnsafePointer<UInt8>?, _ count: Int) {
  FuzzedGainMap().run(UnsafeRawBufferPointer(start: start, count: count))
}
