import CEaselColorFixtures
import EaselColor
import EaselCore
import EaselPixels
import EaselTestPixels
import FoundationEssentials
import Glibc
import Testing

@testable import EaselPNG

struct ColorTests {
  private let coder = PNGCoder()

  private func profile(_ primaries: [Double]?, gamma: Double) -> Data {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count =
      primaries.map { easel_make_icc_profile($0, gamma, &bytes, bytes.count) }
      ?? easel_make_icc_profile(nil, gamma, &bytes, bytes.count)
    return Data(bytes[..<count])
  }

  private var wide: Data { profile([0.680, 0.320, 0.265, 0.690, 0.150, 0.060], gamma: 2.2) }

  private func file(_ bitmap: Bitmap, _ profile: Data) throws -> ImageBytes {
    let metadata = ImageMetadata(storedSize: bitmap.size, iccProfile: profile)
    return try coder.encode(
      Image(bitmap, metadata: metadata), as: .png, options: EncodeOptions(), work: WorkContext())
  }

  @Test func coloursOfAProfileBecomeSRGB() throws {
    let stored = try Bitmap.noise(20, 20, .rgba8)
    let image = try coder.decode(file(stored, wide), options: DecodeOptions(), work: WorkContext())
    #expect(try image.bitmap == stored.converted(from: .icc(wide)))
    #expect(image.bitmap != stored)
    #expect(image.metadata.iccProfile == nil)
  }

  @Test func rawColoursStayAndCarryTheirProfile() throws {
    let stored = try Bitmap.noise(20, 20, .rgba8)
    var options = DecodeOptions()
    options.convertsColor = false
    let image = try coder.decode(file(stored, wide), options: options, work: WorkContext())
    #expect(image.bitmap == stored)
    #expect(image.metadata.iccProfile == wide)
  }

  @Test(arguments: [false, true])
  func greyFollowsAProfileForGrey(isWide: Bool) throws {
    let top = isWide ? 65_535 : 255
    let stored = try Bitmap(256, 2, isWide ? .rgba16 : .rgba8) { x, y in
      let level = x * top / 255
      return [level, level, level, y == 0 ? top : level]
    }
    let curve = profile(nil, gamma: 1.8)
    let bytes = try file(stored, curve)
    #expect(try bytes.prefix(26)[25] == PNGHeader.ColorType.grayAlpha.rawValue)
    var options = DecodeOptions()
    options.keeps16Bits = true
    let image = try coder.decode(bytes, options: options, work: WorkContext())
    for x in [0, 1, 100, 200, 255] {
      let light = pow(Double(x) / 255, 1.8)
      let encoded = light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055
      let components = image.bitmap.components(x, 1)
      #expect(abs(Double(components[0]) / Double(top) - encoded) < 2.5 / 255, "level \(x)")
      #expect(components[0] == components[1] && components[1] == components[2])
      #expect(components[3] == stored.components(x, 1)[3])
    }
    options.convertsColor = false
    let raw = try coder.decode(bytes, options: options, work: WorkContext())
    #expect(raw.bitmap == stored)
    #expect(raw.metadata.iccProfile == curve)
  }

  @Test func coloursWithAProfileForGreyStayColours() throws {
    let stored = try Bitmap.noise(5, 5, .rgba8)
    let image = try coder.decode(
      file(stored, profile(nil, gamma: 1.8)), options: DecodeOptions(), work: WorkContext())
    #expect(image.bitmap == stored)
  }

  @Test func aProfileThatIsNoneLeavesTheColours() throws {
    let stored = try Bitmap.noise(5, 5, .rgba8)
    let image = try coder.decode(file(stored, Data("no profile".utf8)), options: DecodeOptions(), work: WorkContext())
    #expect(image.bitmap == stored)
  }
}
