/// Tells which colours a picture's numbers mean, for files that state code points instead of an ICC profile.
public struct ColorDescription: Hashable, Sendable {
  /// The code points of the pixels as they are stored.
  public var coding: ColorDescription.Coding
  /// The display on which the picture was made.
  public var masteringDisplay: ColorDescription.MasteringDisplay?
  /// The light of the brightest pixels.
  public var contentLight: ColorDescription.ContentLight?

  /// Describes what the numbers of a picture mean.
  public init(
    coding: ColorDescription.Coding, masteringDisplay: ColorDescription.MasteringDisplay? = nil,
    contentLight: ColorDescription.ContentLight? = nil
  ) {
    self.coding = coding
    self.masteringDisplay = masteringDisplay
    self.contentLight = contentLight
  }
}

extension ColorDescription {
  /// Numbers that are equal in every process for equal descriptions, and differ for different ones.
  var fingerprint: [UInt64] {
    let codes = [coding.primaries, coding.transfer, coding.matrix, coding.isFullRange ? 1 : 0]
    var words = codes.map { UInt64(truncatingIfNeeded: $0) }
    if let display = masteringDisplay {
      let points = [display.red, display.green, display.blue, display.white].flatMap { [$0.x, $0.y] }
      words += (points + [display.leastLuminance, display.greatestLuminance]).map(\.bitPattern)
    }
    if let light = contentLight {
      words += [light.greatest, light.greatestAverage].map { UInt64(truncatingIfNeeded: $0) }
    }
    return words
  }
}

extension ColorDescription {
  /// The code points of ITU-T H.273 that say how numbers become light.
  public struct Coding: Hashable, Sendable {
    /// The code of the primaries: 1 for those of sRGB, 9 for BT.2020, 12 for Display P3.
    public var primaries: Int
    /// The code of the transfer curve: 13 for that of sRGB, 16 for PQ, 18 for HLG.
    public var transfer: Int
    /// The code of the matrix that turned red, green and blue into the stored components: 0 for none.
    public var matrix: Int
    /// True when the components use the full range of their bits.
    public var isFullRange: Bool

    /// Takes the four code points of ITU-T H.273; the matrix 0 means red, green and blue.
    public init(primaries: Int, transfer: Int, matrix: Int = 0, isFullRange: Bool = true) {
      self.primaries = primaries
      self.transfer = transfer
      self.matrix = matrix
      self.isFullRange = isFullRange
    }

    /// The coding of sRGB.
    public static let sRGB = Coding(primaries: 1, transfer: 13)

    /// True for PQ and HLG, which go far above the white of paper.
    public var isHighRange: Bool { transfer == 16 || transfer == 18 }
  }
}

extension ColorDescription {
  /// The colours and the light of the display on which a picture was made.
  public struct MasteringDisplay: Hashable, Sendable {
    /// The chromaticities x and y of red, green, blue and white.
    public var red, green, blue, white: SIMD2<Double>
    /// The luminance of black in candela per square metre.
    public var leastLuminance: Double
    /// The luminance of white in candela per square metre.
    public var greatestLuminance: Double

    /// Describes the display on which a picture was made; light is in candela per square metre.
    public init(
      red: SIMD2<Double>, green: SIMD2<Double>, blue: SIMD2<Double>, white: SIMD2<Double>,
      leastLuminance: Double, greatestLuminance: Double
    ) {
      self.red = red
      self.green = green
      self.blue = blue
      self.white = white
      self.leastLuminance = leastLuminance
      self.greatestLuminance = greatestLuminance
    }
  }
}

extension ColorDescription {
  /// The light of a picture's brightest pixels in candela per square metre.
  public struct ContentLight: Hashable, Sendable {
    /// The luminance of the brightest pixel.
    public var greatest: Int
    /// The average luminance of the brightest frame.
    public var greatestAverage: Int

    /// Takes the light of the brightest pixel and of the brightest frame, in candela per square metre.
    public init(greatest: Int, greatestAverage: Int) {
      self.greatest = greatest
      self.greatestAverage = greatestAverage
    }
  }
}
