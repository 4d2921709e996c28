module mine

go 1.19
