import EaselCore
import EaselTestSupport
import Testing

private let one = ImageFormat(mimeType: "image/one")
private let two = ImageFormat(mimeType: "image/two")

struct SniffingTests {
  /// A coder of two formats that differ in the byte after the signature.
  private struct TwoFormats: ImageCoder {
    let identifier = "two-formats"
    let formats: [ImageFormat] = [one, two]

    func canDecode(prefix: [UInt8]) -> Bool { prefix.starts(with: [7, 7]) }

    func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader {
      guard bytes.count > 2 else { throw ImageError(.badImageData, "There is no third byte.") }
      return ImageHeader(
        format: try bytes.prefix(3)[2] == 0 ? one : two, storedSize: PixelSize(width: 1, height: 1))
    }

    func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image {
      throw ImageError(.badImageData, "It decodes nothing.")
    }
  }

  private let registry = CoderRegistry([ToyCoder(), TwoFormats()])

  @Test func theSignatureDecides() throws {
    let toy = ToyImage(width: 3, height: 2).imageBytes
    #expect(try registry.format(of: toy) == ToyImage.format)
    #expect(try registry.format(of: ImageBytes(toy.prefix(16))) == ToyImage.format)
  }

  @Test func aCoderOfSeveralFormatsTellsThemApart() throws {
    #expect(try registry.format(of: ImageBytes([7, 7, 0])) == one)
    #expect(try registry.format(of: ImageBytes([7, 7, 1])) == two)
    #expect(try registry.format(of: ImageBytes([7, 7])) == nil)
  }

  @Test func bytesThatNobodyKnowsHaveNoFormat() throws {
    #expect(try registry.format(of: ImageBytes([])) == nil)
    #expect(try registry.format(of: ImageBytes([1, 2, 3])) == nil)
    #expect(try CoderRegistry().format(of: ImageBytes([7, 7, 0])) == nil)
  }
}
