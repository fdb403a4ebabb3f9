// What the interface of PosterKit is made of: its users import PosterKit alone.
@_exported public import PosterBase
