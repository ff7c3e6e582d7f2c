import Easel
import ExampleSupport
import FoundationEssentials

/// Turns uploaded bytes into variants, and is strict with the uploads of strangers.
@main
struct ThumbnailService {
  static func main() async throws {
    // First in main: the sandbox starts the program a second time, as its worker.
    Sandbox.runIfWorker()
    let service = UploadService()
    let picture = try Gallery.png(4)
    // A GIF of 29 bytes that claims 65,535 pixels a side.
    let side: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF]
    let bomb = Data(Array("GIF89a".utf8) + side + [0, 0, 0, 0x2C, 0, 0, 0, 0] + side + [0, 2, 2, 0x4C, 1, 0, 0x3B])
    let uploads: [(String, Data)] = [
      ("a landscape", picture), ("half a landscape", picture.prefix(picture.count / 2)), ("a bomb", bomb),
      ("a text", Data("Dear server, please find enclosed".utf8)), ("nothing", Data()),
      ("too much", Data(repeating: 0, count: 9 << 20)),
    ]
    for (name, upload) in uploads { show(name, await service.accept(upload)) }
  }

  private static func show(_ name: String, _ answer: UploadService.Answer) {
    switch answer {
    case .refused(let status, let reason): print("\(name): \(status) \(reason)")
    case .created(let variants):
      let sizes = variants.sorted { $0.key < $1.key }.map { name, bytes in
        let header = try? PNGCoder().probe(ImageBytes(bytes), work: WorkContext())
        return "\(name) \(header.map { "\($0.storedSize)" } ?? "unreadable")"
      }
      print("\(name): 201 \(sizes.joined(separator: ", "))")
    }
  }
}
