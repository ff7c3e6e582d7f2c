import EaselLocal
import EaselPNG
import EaselTestPixels
import EaselTestSupport
import EaselText
import EaselTransformers
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager
@testable import EaselService

/// Texts and frames in URLs, which are drawn over the picture.
struct DrawnOverTests {
  private func studio(withText: Bool = true) throws -> ServiceStudio {
    let studio = ServiceStudio {
      $0.manager.loader = $0.manager.loader.adding(DataURLLoader())
      if withText { $0.manager.coder = $0.manager.coder.adding(TextCoder()) }
    }
    let white = try Bitmap(200, 100, .white, .opaqueRGBA8)
    try studio.place(
      Array(PNGCoder().encode(Image(white), as: .png, options: EncodeOptions(), work: WorkContext()).data()))
    return studio
  }

  private func picture(_ answer: ServiceResponse) throws -> Bitmap {
    try PNGCoder().decode(ImageBytes(answer.bytes), options: DecodeOptions(), work: WorkContext()).bitmap
  }

  /// The order of options of imgproxy, at `/p`, as a PNG.
  private func place(_ options: String, in studio: ServiceStudio) throws {
    let reader = ImgproxyReader(rules: URLRules(), signer: nil, formats: NamedFormats.names)
    var order = try reader.order(
      at: "/unsafe/\(options)/plain/\(ServiceStudio.source.absoluteString)"[...], now: 0)
    order.format = .png
    studio.reader.place(order, at: "/p")
  }

  private func base64(_ text: String) -> String {
    Data(text.utf8).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }

  @Test func aTextIsAWatermark() async throws {
    let studio = try studio()
    try place("wm:1:soea/wmt:\(base64("Hill"))", in: studio)
    let answer = await studio.get()
    #expect(answer.status == 200, "\(answer.text.prefix(200))")
    let result = try picture(answer)
    #expect(result.size == PixelSize(width: 200, height: 100))
    let dark = (0..<100).flatMap { y in (0..<200).filter { result.components($0, y)[0] < 50 }.map { ($0, y) } }
    #expect(dark.count > 30 && dark.allSatisfy { $0.0 > 120 && $0.1 > 60 })
    // Other texts are other pictures, and the same text is the same one.
    try place("wm:1:soea/wmt:\(base64("Hills"))", in: studio)
    #expect(await studio.get().bytes != answer.bytes)
    try place("wm:1:soea/watermark_text:\(base64("Hill"))/wmu:\(base64("http://h/l.png"))", in: studio)
    #expect(await studio.get().bytes == answer.bytes)
  }

  @Test func markupIsObeyed() async throws {
    let studio = try studio()
    try place("wm:1:ce:0:0:1/wmt:\(base64("<span foreground='#ff0000'>H</span>"))", in: studio)
    let result = try picture(await studio.get())
    let middle = (0..<100).flatMap { y in (0..<200).map { result.components($0, y) } }
    #expect(middle.contains { $0[0] > 250 && $0[1] < 10 && $0[2] < 10 })
  }

  @Test func aServerWithoutItsCoderDrawsNoText() async throws {
    let studio = try studio(withText: false)
    try place("wm:1/wmt:\(base64("Hill"))", in: studio)
    let answer = await studio.get()
    #expect(answer.status == 400 && answer.text.contains("draws no texts"))
  }

  @Test func badMarkupIsTheClientsError() async throws {
    let studio = try studio()
    try place("wm:1/wmt:\(base64("<b>a</i>"))", in: studio)
    let answer = await studio.get()
    #expect(answer.status == 422 && answer.text.contains("The watermark cannot be had"), "\(answer.text)")
  }

  @Test(arguments: ["wmt:***", "wmt:", "wmt:YQ:YQ", "wmt:\(String(repeating: "YWFh", count: 1400))"])
  func textsThatAreNoneAreRefused(_ option: String) throws {
    let studio = try studio()
    if option == "wmt:" { return try place("wm:1/\(option)", in: studio) }
    let error = #expect(throws: ServiceError.self) { try place("wm:1/\(option)", in: studio) }
    #expect(error?.status == 400 && error?.message.contains("watermark_text") == true)
  }

  @Test func aFrameIsLoadedAndDrawn() async throws {
    let studio = try studio()
    let url = URL(string: "http://h/frame.png")!
    let frame = try Bitmap(5, 5, .rgba8) { x, y in
      switch (x, y) {
      case (2, 0), (0, 2): [0, 0, 0, 255]
      case (1...3, 1), (1...3, 3), (1, 2), (3, 2): [0, 0, 255, 255]
      default: [0, 0, 0, 0]
      }
    }
    let bytes = try Array(
      PNGCoder().encode(Image(frame), as: .png, options: EncodeOptions(), work: WorkContext()).data())
    try studio.place(bytes, at: url)
    var order = try ThumborReader(signer: nil, formats: NamedFormats.names).order(
      at: "/unsafe/filters:frame(h/frame.png)/host/a.jpg"[...], now: 0)
    (order.source, order.format) = (ServiceStudio.source.absoluteString, .png)
    studio.reader.place(order, at: "/p")
    let answer = await studio.get()
    #expect(answer.status == 200, "\(answer.text.prefix(200))")
    let result = try picture(answer)
    for (x, y, isFrame) in [
      (0, 0, true), (199, 99, true), (100, 0, true), (0, 50, true), (100, 50, false), (1, 1, false),
    ] {
      #expect(Array(result.components(x, y).prefix(3)) == (isFrame ? [0, 0, 255] : [255, 255, 255]), "\(x),\(y)")
    }
  }

  @Test func aFrameThatCannotBeHadIsAnErrorOfTheClientOrTheSource() async throws {
    let studio = try studio()
    var order = WatermarkOrder(source: "http://h/none.png")
    order.isFrame = true
    studio.order { $0.pixels = .steps([.watermark(order)]) }
    studio.loader.script(URL(string: "http://h/none.png")!, .status(404))
    let answer = await studio.get()
    #expect(answer.status == 404)
    // The rules of sources are those of watermarks.
    order.source = "file:///etc/passwd"
    studio.order { $0.pixels = .steps([.watermark(order)]) }
    #expect([403, 404].contains(await studio.get().status))
  }
}
