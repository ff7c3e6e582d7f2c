import Easel
import ExampleSupport
import FoundationEssentials

/// Bytes in, variants out, strict with what strangers send.
@main
struct ThumbnailService {
  static func main() async throws {
    let service = UploadService()
    let picture = try Gallery.png(4)
    var bomb = picture
    // The header claims 65,535 pixels a side, the file is as small as before.
    bomb.replaceSubrange(16..<24, with: [0, 0, 0xFF, 0xFF, 0, 0, 0xFF, 0xFF])
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
