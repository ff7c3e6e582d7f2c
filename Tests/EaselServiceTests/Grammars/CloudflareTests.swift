import EaselTransformers
import Testing

@testable import EaselCore
@testable import EaselService

/// URLs as the documentation of Cloudflare's image transformations shows them.
struct CloudflareTests {
  private func order(_ path: String, _ grammar: CloudflareGrammar = CloudflareGrammar()) throws -> ImageOrder {
    try grammar.order(at: GrammarAddress(path))
  }

  /// The terms that are not those of every URL.
  private func terms(_ options: String) throws -> String {
    let text = OrderTerms(
      order: try order("/\(options)/https://host/a.jpg"), formats: NamedFormats.names
    ).text
    return text.replacing(" metadata=strip copyright=keep", with: "").replacing(
      "metadata=strip copyright=keep", with: "-")
  }

  // MARK: Options

  @Test(arguments: [
    ("width=80,quality=75", "width=80 quality=75"), ("w=80,q=75", "width=80 quality=75"),
    ("width=250", "width=250"), ("w=250", "width=250"), ("width=auto", "-"), ("height=250", "height=250"),
    ("h=250", "height=250"), ("fit=scale-down,width=1920", "width=1920"),
    ("fit=contain,w=10,h=20", "width=10 height=20 enlarge"),
    ("fit=cover,w=10,h=20", "type=fill width=10 height=20 enlarge"),
    ("fit=crop,w=10,h=20", "type=fill width=10 height=20"),
    ("fit=aspect-crop,w=10,h=20", "type=fill-down width=10 height=20"),
    ("fit=pad,w=10,h=20", "type=pad width=10 height=20 enlarge background=ffffff"),
    ("fit=pad,background=%23000000,w=10,h=20", "type=pad width=10 height=20 enlarge background=000000"),
    ("fit=squeeze,w=10,h=20", "type=force width=10 height=20 enlarge"),
    ("gravity=auto,w=1", "width=1 gravity=sm"), ("g=left,w=1", "width=1 gravity=we"),
    ("gravity=right,w=1", "width=1 gravity=ea"), ("gravity=top,w=1", "width=1 gravity=no"),
    ("gravity=bottom,w=1", "width=1 gravity=so"), ("gravity=0x1,w=1", "width=1 gravity=fp{0,1}"),
    ("g=0.5x0.5,w=1", "width=1"), ("gravity=0.5x0.33,w=1", "width=1 gravity=fp{0.5,0.33}"),
    ("dpr=1", "-"), ("dpr=2,w=300", "width=300 dpr=2"),
    ("background=red", "background=ff0000"), ("background=%23ff8800", "background=ff8800"),
    ("background=rgb%28240%2C40%2C145%29", "background=f02891"), ("background=rgb(255%20255%200)", "background=ffff00"),
    ("background=rgba(255%20255%200%20%2F%2050%25)", "background=ffff00"), ("background=transparent", "-"),
    ("blur=50", "Blur(25)"), ("brightness=0.5", "Brightness(0.5)"), ("contrast=0.5", "Contrast(0.5)"),
    ("saturation=0.5", "Saturation(0.5)"), ("sharpen=2", "Sharpen(2,1)"), ("sharpen=0", "-"),
    ("rotate=90", "rotate=90"), ("rotate=180", "rotate=180"), ("rotate=270", "rotate=270"), ("flip=h", "flip=h"),
    ("flip=v", "flip=v"),
    ("format=auto", "-"), ("f=auto", "-"), ("format=avif", "format=avif"), ("format=webp", "format=webp"),
    ("format=jpeg", "format=jpeg"), ("format=baseline-jpeg", "format=jpeg"), ("quality=50", "quality=50"),
    ("quality=low", "quality=50"), ("q=high", "quality=90"), ("q=medium-high", "quality=80"),
    ("q=medium-low", "quality=65"), ("slow-connection-quality=50,w=1", "width=1"), ("compression=fast", "-"),
    ("metadata=copyright", "-"), ("onerror=redirect", "-"), ("anim=true", "-"), ("trim=border", "Trim(10,-,0,0)"),
  ])
  func optionsOfTheDocumentation(_ options: String, _ expected: String) throws {
    #expect(try terms(options) == expected)
  }

  @Test func metadataAreKeptAsAskedFor() throws {
    let orders = try ["keep", "copyright", "none"].map { try order("/metadata=\($0)/https://host/a.jpg") }
    #expect(orders.map(\.keepsMetadata) == [true, false, false])
    #expect(orders.map(\.keepsCopyright) == [false, true, false])
  }

  @Test func filesAreWrittenAsAskedFor() throws {
    #expect(try order("/f=jpeg/a").tunings[.jpeg]?.isProgressive == true)
    #expect(try order("/f=baseline-jpeg/a").tunings[.jpeg]?.isProgressive == false)
    #expect(try order("/f=webp,q=100/a").tunings[.webp]?.isLossless == true)
    #expect(try order("/f=webp,q=99/a").tunings[.webp] == nil)
    #expect(try order("/anim=false/a").frameCount == 1)
    #expect(try order("/onerror=redirect/a").redirectsOnFailure)
  }

  @Test(arguments: [
    ("trim=20;30;20;0", PixelRect(x: 0, y: 20, width: 610, height: 440)),
    ("trim.width=678,trim.height=300,trim.left=30,trim.top=40", PixelRect(x: 30, y: 40, width: 610, height: 300)),
    ("trim.width=100", PixelRect(x: 0, y: 0, width: 100, height: 480)),
    ("trim=1;1;1;1,dpr=2", PixelRect(x: 2, y: 2, width: 636, height: 476)),
  ])
  func aTrimIsAPartOfThePicture(_ options: String, _ part: PixelRect) throws {
    let order = try order("/\(options)/https://host/a.jpg")
    #expect(try order.completion?(PixelSize(width: 640, height: 480)).region == part)
  }

  @Test func aTrimThatLeavesNothingIsRefused() throws {
    let order = try order("/trim=20;30;20;0/https://host/a.jpg")
    let error = #expect(throws: ServiceError.self) { try order.completion?(PixelSize(width: 30, height: 480)) }
    #expect(error?.status == 400 && error?.message.contains("trim") == true)
  }

  // MARK: Sources

  @Test(arguments: [
    ("/w=1/uploads/avatar1.jpg", "local:///uploads/avatar1.jpg"), ("/w=1//uploads/a.jpg", "local:///uploads/a.jpg"),
    ("/w=1/https://s3.example.com/bucket/image.png", "https://s3.example.com/bucket/image.png"),
    ("/w=1/http://host/a%20b.png", "http://host/a%20b.png"), ("/w=1/https:/host/a.png", "https://host/a.png"),
    ("/w=1/https://host/a.png?v=2&w=3", "https://host/a.png?v=2&w=3"), ("/w=1/a%20b.png", "local:///a b.png"),
    ("/w=1/a.png?v=2", "local:///a.png"), ("/w=1/ftp://host/a.png", "local:///ftp://host/a.png"),
  ])
  func aSourceIsAnAddressOrAFile(_ path: String, _ source: String) throws {
    #expect(try order(path).source == source)
  }

  // MARK: Mistakes

  @Test(arguments: [
    ("/", "source"), ("/w=1", "source"), ("/w=1/", "source"), ("//a.jpg", "option"), ("/,/a.jpg", "option"),
    ("/wdth=1/a.jpg", "wdth"), ("/width=x/a.jpg", "width"), ("/width=/a.jpg", "width"), ("/width/a.jpg", "width"),
    ("/width=-1/a.jpg", "width"), ("/w=0/a.jpg", "whole number"), ("/fit=fill/a.jpg", "fit"), ("/dpr=9/a.jpg", "dpr"),
    ("/gravity=face/a.jpg", "gravity"), ("/gravity=2x0/a.jpg", "gravity"), ("/segment=foreground/a.jpg", "segment"),
    ("/gamma=0.5/a.jpg", "gamma"), ("/zoom=1/a.jpg", "zoom"), ("/border=1/a.jpg", "border"),
    ("/background=nocolor/a.jpg", "background"), ("/blur=0/a.jpg", "blur"), ("/blur=251/a.jpg", "blur"),
    ("/sharpen=11/a.jpg", "sharpen"), ("/rotate=45/a.jpg", "rotate"), ("/flip=x/a.jpg", "flip"),
    ("/format=json/a.jpg", "format"), ("/quality=0/a.jpg", "quality"), ("/q=101/a.jpg", "q"), ("/q=1.5/a.jpg", "q"),
    ("/metadata=all/a.jpg", "metadata"), ("/anim=1/a.jpg", "anim"), ("/onerror=x/a.jpg", "onerror"),
    ("/trim=1;2;3/a.jpg", "trim"), ("/compression=slow/a.jpg", "compression"), ("/w%=1/a.jpg", "percent"),
    ("/w=1/a%zz.jpg", "percent"),
  ])
  func aMistakeIsNamed(_ path: String, _ name: String) {
    let error = #expect(throws: ServiceError.self) { try order(path) }
    #expect(error?.status == 400 && error?.message.contains(name) == true, "\(error?.message ?? "")")
  }

  @Test func listsBindSizesAndQualities() throws {
    let grammar = CloudflareGrammar(widths: [320, 640], qualities: [75])
    #expect(try order("/w=320,h=640,q=75/a", grammar).recipe.width == 320)
    for path in ["/w=321/a", "/h=641/a", "/w=320,q=76/a"] {
      let error = #expect(throws: ServiceError.self) { try order(path, grammar) }
      #expect(error?.status == 400 && error?.message.contains("not allowed") == true)
    }
  }

  @Test func noTwoOptionsHaveOneName() {
    let names = CloudflareOption.all.flatMap(\.names) + CloudflareOption.refused.keys
    #expect(Set(names).count == names.count)
  }
}
