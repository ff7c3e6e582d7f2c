import EaselCore

/// A white picture of more than four million pixels, upright or stored on its side, of which a small size suffices.
package struct LargePicture {
  package static let storedSize = PixelSize(width: 2304, height: 1920)
  private static let leastStoredSize = PixelSize(width: 240, height: 200)

  package let isTurned: Bool

  package init(isTurned: Bool) { self.isTurned = isTurned }

  package var image: Image {
    get throws {
      var metadata = ImageMetadata(storedSize: Self.storedSize)
      metadata.orientation = isTurned ? .right : .up
      return Image(
        try Bitmap(Self.storedSize.width, Self.storedSize.height, .white, .opaqueRGBA8), metadata: metadata)
    }
  }

  /// The least size of the picture as it is set upright.
  package var leastSize: PixelSize { isTurned ? Self.leastStoredSize.transposed : Self.leastStoredSize }

  /// The faults of what a coder makes of a file of this picture, with and without a least size.
  package func faults(of coder: some ImageCoder, reading bytes: ImageBytes) throws -> [String] {
    func decoded(_ change: (inout DecodeOptions) -> Void) throws -> Image {
      var options = DecodeOptions()
      change(&options)
      return try coder.decode(bytes, options: options, work: WorkContext())
    }
    var faults: [String] = []
    func expect(_ holds: Bool, _ fault: String) { if !holds { faults.append(fault) } }
    let small = try decoded { $0.leastSize = leastSize }
    expect(small.size == leastSize, "\(leastSize) suffices, but it is made as \(small.size)")
    expect(small.metadata.storedSize == Self.storedSize, "its stored size is \(small.metadata.storedSize)")
    expect(small.traits == .thumbnail, "its traits are \(small.traits)")
    let unturned = try decoded {
      $0.leastSize = Self.leastStoredSize
      $0.appliesOrientation = false
    }
    expect(unturned.size == Self.leastStoredSize, "as it is stored, it is made as \(unturned.size)")
    let whole = try decoded { _ in }
    expect(whole.size == (isTurned ? Self.storedSize.transposed : Self.storedSize), "in full it is \(whole.size)")
    return faults
  }
}
