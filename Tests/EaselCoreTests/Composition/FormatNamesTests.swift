import EaselTestSupport
import Testing

@testable import EaselCore

/// The names of formats follow from the coders.
struct FormatNamesTests {
  private struct Coder: FileNamingCoder {
    let identifier = "named"
    let formats = ["image/jpeg", "image/vnd.microsoft.icon", "image/svg+xml", "image/x-thing"].map(
      ImageFormat.init(mimeType:))

    func fileExtensions(of format: ImageFormat) -> [String] {
      switch format.mimeType {
      case "image/jpeg": ["jpg", "jpe"]
      case "image/vnd.microsoft.icon": ["ico", "cur"]
      case "image/svg+xml": ["svg", "jpg"]
      default: []
      }
    }

    func canDecode(prefix: [UInt8]) -> Bool { false }
    func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader {
      throw ImageError(.unsupportedFormat, "It only has names.")
    }
    func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image {
      throw ImageError(.unsupportedFormat, "It only has names.")
    }
  }

  private let names = FormatNames(Coder())

  @Test(
    arguments: [
      ("jpeg", "jpeg"), ("JPG", "jpeg"), ("jpe", "jpeg"), ("ico", "vnd.microsoft.icon"), ("cur", "vnd.microsoft.icon"),
      ("svg", "svg+xml"), ("x-thing", "x-thing"), ("png", nil), ("", nil), ("vnd.microsoft.icon", nil),
    ] as [(String, String?)])
  func aFormatIsFoundByNameAndExtension(name: String, type: String?) {
    #expect(names.format(named: name)?.mimeType == type.map { "image/\($0)" })
  }

  @Test func namesAndExtensions() {
    let icon = ImageFormat(mimeType: "image/vnd.microsoft.icon")
    #expect(names.name(of: icon) == "ico" && names.fileExtensions(of: icon) == ["ico", "cur"])
    #expect(names.name(of: .jpeg) == "jpeg" && names.fileExtension(of: .jpeg) == "jpg")
    #expect(names.fileExtension(of: ImageFormat(mimeType: "image/x-thing")) == "x-thing")
    // Of a format that no coder knows, the type says enough.
    #expect(names.name(of: .webp) == "webp" && names.fileExtensions(of: .webp) == [])
  }
}
