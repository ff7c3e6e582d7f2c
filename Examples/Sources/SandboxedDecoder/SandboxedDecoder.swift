import EaselEverything
import ExampleSupport
import FoundationEssentials

/// Decodes pictures in processes of their own, and survives one whose decoder crashes.
@main
struct SandboxedDecoder {
  static func main() async throws {
    // First in main, before anything starts a thread:
    let coders = CoderRegistry.everything.adding(FragileCoder())
    Sandbox.runIfWorker(coders: coders.coders)

    let sandbox = Sandbox()
    try sandbox.start()
    var configuration = ImageManager.Configuration.standard(cacheDirectory: nil)
    configuration.coder = coders.sandboxed(in: sandbox)

    let gallery = try Gallery()
    let manager = ImageManager(configuration)
    await show(gallery.offer(try avif(1), as: "image/avif", at: "/hills.avif"), manager)
    let bad = gallery.offer(FragileCoder.picture(crashes: true), as: "image/x-fragile", at: "/bad.fragile")
    await show(bad, manager)
    await show(bad, manager)
    await show(gallery.offer(FragileCoder.picture(crashes: false), as: "image/x-fragile", at: "/good.fragile"), manager)
    await show(gallery.offer(try avif(2), as: "image/avif", at: "/more-hills.avif"), manager)
    await manager.close()
  }

  private static func show(_ url: URL, _ manager: ImageManager) async {
    do throws(ImageError) {
      print("\(url.lastPathComponent): \(try await manager.image(for: ImageRequest(url: url)).size)")
    } catch {
      print("\(url.lastPathComponent): \(error.code)")
    }
  }

  private static func avif(_ number: Int) throws -> Data {
    let image = Image(try .landscape(number, width: 160, height: 100))
    return try AVIFCoder().encode(image, as: .avif, options: EncodeOptions(), work: WorkContext()).data()
  }
}
