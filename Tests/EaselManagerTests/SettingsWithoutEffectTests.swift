import EaselTestStudio
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager

/// The key of an original always has the original's bytes, even if the load had settings without effect on its picture.
struct SettingsWithoutEffectTests {
  struct Setting: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var options: ImageOptions = []
    let context: ImageContext
  }

  private static func decoding(_ change: (inout DecodeOptions) -> Void) -> ImageContext {
    var options = DecodeOptions()
    change(&options)
    return [.decodeOptions(options)]
  }

  private static let unknown = ImageFormat(mimeType: "image/x-nobody-knows")

  static let settings = [
    Setting(testDescription: "aspect without thumbnail", context: [.preserveAspectRatio(false)]),
    Setting(testDescription: "hint of an unknown type", context: [.typeHint(unknown)]),
    Setting(testDescription: "thumbnail without width", context: [.thumbnailSize(PixelSize(width: 0, height: 4))]),
    Setting(testDescription: "thumbnail without height", context: [.thumbnailSize(PixelSize(width: 4, height: 0))]),
    Setting(
      testDescription: "empty thumbnail with an aspect",
      context: [.thumbnailSize(PixelSize(width: 0, height: 0)), .preserveAspectRatio(false)]),
    Setting(testDescription: "scale-down limit alone", context: [.scaleDownLimitBytes(1 << 30)]),
    Setting(
      testDescription: "scale-down limit over the size", options: .scaleDownLarge,
      context: [.scaleDownLimitBytes(1 << 30)]),
    Setting(testDescription: "aspect in the options", context: decoding { $0.preservesAspectRatio = false }),
    Setting(testDescription: "hint in the options", context: decoding { $0.typeHint = unknown }),
    Setting(testDescription: "plain options", context: decoding { _ in }),
    Setting(testDescription: "partial pictures allowed", context: decoding { $0.damaged = .show }),
    Setting(testDescription: "identity transformer", context: [.transformer(.identity)]),
    Setting(testDescription: "encode options", context: [.encodeOptions(EncodeOptions())]),
    Setting(testDescription: "scale factor", context: [.scaleFactor(2)]),
    Setting(testDescription: "data of one's own", context: [.extendedData(Data([1]))]),
    Setting(
      testDescription: "delivery",
      options: [.firstFrameOnly, .preloadAllFrames, .includeData, .transformAnimated, .progressive], context: []),
  ]

  @Test(arguments: settings, [ToyImage.small, .moving])
  func theOriginalOnDiskIsWhatWasReceived(setting: Setting, picture: ToyImage) async throws {
    let studio = Studio()
    let url = studio.place(picture)
    let result = try await studio.warm(url, setting.options, setting.context)
    let original = try #require(studio.disk.entries[result.key.originalKey])
    #expect(try original.bytes?.data() == Data(picture.bytes))
    if !result.key.isVariant { #expect(studio.coder.counts.encodes == 0) }
    // Other loads do not get the leftovers of the setting.
    #expect(try await studio.manager.bytes(for: ImageRequest(url: url)).data() == Data(picture.bytes))
    #expect(studio.loader.callCount == 1)
  }

  @Test func whatIsDoneToNothingIsOneDecode() async throws {
    let studio = Studio()
    let url = studio.place(.small)
    studio.loader.suspend(url, at: .end)
    let plain = studio.manager.load(url)
    let other = studio.manager.load(url, context: [.preserveAspectRatio(false), .typeHint(Self.unknown)])
    await studio.loader.waitUntilSuspended(url, at: .end)
    studio.loader.resume(url, at: .end)
    _ = try await (plain.image, other.image)
    #expect(studio.coder.counts.decodes + studio.coder.counts.finishes == 1)
  }
}
