import Easel
import EaselEverything
import EaselService
import FoundationEssentials
import Testing

/// A picture server hands a JPEG that nothing changes to clients of JPEG XL, packed without loss.
struct PackedJPEGTests {
  private func jpeg() throws -> ImageBytes {
    var bitmap = try Bitmap(size: PixelSize(width: 120, height: 90), format: .opaqueRGBA8)
    bitmap.withUnsafeMutableBytes { bytes in
      for index in bytes.indices { bytes[index] = index % 4 == 3 ? 255 : UInt8(truncatingIfNeeded: index / 37) }
    }
    return try CoderRegistry.standard.encode(
      Image(bitmap), as: .jpeg, options: EncodeOptions(quality: 0.9), work: WorkContext())
  }

  @Test func acceptChoosesTheJPEGOrItsPackedForm() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let jpeg = try jpeg()
    try jpeg.data().write(to: folder.appendingPathComponent("photo.jpg"))
    // The main of a test cannot be the worker of a sandbox.
    var manager = ImageManager.Configuration.server(cacheDirectory: nil, sandbox: nil)
    manager.coder = CoderRegistry.everything
    var configuration = ImageService.Configuration(manager, signer: nil)
    configuration.folder = try FolderLoader(folder: folder.path)
    configuration.sources = try SourceRules(allowing: [], folder: true)
    configuration.negotiatedFormats = [.jxl]
    let service = ImageService(configuration)
    func answer(_ options: String, _ accept: String) async throws -> (type: String?, body: ImageBytes) {
      let answer = await service.response(
        to: ServiceRequest(target: "/unsafe\(options)/plain/local:///photo.jpg", headers: ["Accept": accept]))
      #expect(answer.status == 200)
      return (answer.headers["Content-Type"], try #require(answer.body.first))
    }
    func restored(_ file: ImageBytes) throws -> Data? {
      try CoderRegistry.everything.repacked(file, as: .jpeg, withMetadata: true, work: WorkContext())?.data()
    }

    let packed = try await answer("", "image/jxl")
    #expect(packed.type == "image/jxl" && packed.body.count < jpeg.count)
    #expect(try restored(packed.body) == jpeg.data())
    let plain = try await answer("", "image/webp")
    #expect(try plain.type == "image/jpeg" && plain.body.data() == jpeg.data())
    // A picture of another size has pixels of its own.
    let small = try await answer("/rs:fit:60:60", "image/jxl")
    #expect(try small.type == "image/jxl" && restored(small.body) == nil)
    let asked = try await answer("/q:70", "image/jxl")
    #expect(try asked.type == "image/jxl" && restored(asked.body) == nil)
    await service.close()
  }
}
